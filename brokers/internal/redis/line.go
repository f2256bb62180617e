package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// A line dials for go-redis the server whose address find returns, and knows which one that is.
type line struct {
	*transport.Line

	factory *Factory
	dialer  transport.Dialer
	find    func(ctx context.Context) (addr string, err error)

	mu       sync.Mutex
	server   string // the address of the server at its other end
	replaced error  // that another server is the master: see leave
}

func newLine(f *Factory) *line {
	l := &line{Line: transport.NewLine(), factory: f, find: f.find, dialer: transport.Dialer{Target: f.Target, NoDelay: f.options.noDelay}}
	if f.encrypted() {
		l.dialer.TLS = &f.options.tls
	}
	return l
}

// dial is a go-redis Dialer.
func (l *line) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, l.factory.options.dialTimeout) // TLS included
	defer cancel()
	server := ""
	socket, err := l.Dial(ctx, func(ctx context.Context) (raw, socket net.Conn, err error) {
		if server, err = l.find(ctx); err != nil {
			return nil, nil, err
		}
		if raw, socket, err = l.dialer.Open(ctx, server); err == nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.server, l.replaced = server, nil // before leave can see the socket
		}
		return raw, socket, err
	})
	if err != nil {
		return nil, err
	}
	return socket, nil
}

// errFull is the first thing that a server says that has as many clients as it may have.
const errFull = "max number of clients"

// because returns the cause of an error of the connection, which go-redis may not know: ctx
// has ended, the dial failed, the sentinels named another master, or the server refused the
// connection.
func (l *line) because(ctx context.Context, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var refused error
	reason, failed := l.Refused()
	if strings.Contains(reason, errFull) {
		refused = errors.New(reason)
	}
	return target.Because(ctx, err, failed, l.replaced, refused)
}

// leave ends the connection unless it is to the server at addr.
func (l *line) leave(addr string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server != addr && l.replaced == nil {
		l.Do(func(raw net.Conn) {
			l.replaced = fmt.Errorf("%w: %s, not %s", errReplaced, addr, l.server)
			_ = raw.Close()
		})
	}
}

// close ends a blocked dial, read or write, and all later ones. Closing TLS may take 5 s.
func (l *line) close() { l.Close(func(raw net.Conn) { _ = raw.Close() }) }

// clientOptions returns the options of a client that uses one socket at a time, so that its
// pools are as small as possible.
func (f *Factory) clientOptions(dial dialer) *redis.Options {
	o := &f.options
	all := &redis.Options{
		Addr: f.Target.Addrs(defaultPort)[0], Username: f.Target.User, Password: f.Target.Password, DB: f.database,
		ClientName: o.name, Protocol: o.protocol, Dialer: dial,
		DialTimeout: o.dialTimeout, DialerRetries: 1, MaxRetries: -1,
		ReadTimeout: o.setupTimeout, WriteTimeout: o.setupTimeout, PoolTimeout: o.setupTimeout, ContextTimeoutEnabled: true,
		PoolSize: 1, PipelinePoolSize: -1, ConnMaxIdleTime: -1, ReadBufferSize: o.readBuffer,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if o.guided || o.clustered {
		all.OnConnect = f.leads
	}
	return all
}

type dialer = func(ctx context.Context, network, address string) (net.Conn, error)

// connected returns a dialer of the socket that l has dialled already. If go-redis's pool
// dialled, it would print every failed attempt to standard error.
func (l *line) connected(ctx context.Context) (dialer, error) {
	socket, err := l.dial(ctx, "tcp", "")
	return func(context.Context, string, string) (net.Conn, error) { return socket, nil }, err
}

// connect makes a client with one connection through l, and proves it with PING and prepare.
// The time limit of each command ends with it: messages have none.
func (f *Factory) connect(ctx context.Context, l *line, prepare func(*redis.Client) error) (*redis.Client, error) {
	dial, err := l.connected(ctx)
	if err != nil {
		return nil, l.because(ctx, err)
	}
	client := redis.NewClient(f.clientOptions(dial))
	if err = ping(ctx, client); err == nil {
		err = prepare(client)
	}
	if err != nil {
		_ = client.Close()
		return nil, l.because(ctx, err)
	}
	l.Settled()
	return client.WithTimeout(0), nil
}

// ping proves a connection. A server that cannot write to its disk refuses even PING, and
// answers commands that only read.
func ping(ctx context.Context, client *redis.Client) error {
	err := client.Ping(ctx).Err()
	if err != nil && strings.HasPrefix(err.Error(), "MISCONF") {
		return nil
	}
	return err
}

// with calls do with a new client.
func (f *Factory) with(ctx context.Context, doing string, do func(*redis.Client) error) error {
	return f.over(ctx, newLine(f), doing, do)
}

// over calls do with a client that connects through l, and closes both.
func (f *Factory) over(ctx context.Context, l *line, doing string, do func(*redis.Client) error) error {
	defer l.close()
	defer context.AfterFunc(ctx, l.close)()
	connecting := "connecting"
	client, err := f.connect(ctx, l, func(client *redis.Client) error {
		connecting = doing
		return do(client)
	})
	if err == nil {
		_ = client.Close()
	}
	return f.Explain(connecting, err)
}
