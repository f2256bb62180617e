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

// A line dials for go-redis and keeps the current socket. It adds what go-redis does not
// offer: it can end a blocked dial, read or write, and it knows why a connection ended.
type line struct {
	factory *Factory
	find    func(ctx context.Context) (addr string, err error) // returns the address of the server
	at      func(addr string) string                           // returns the address to dial for that
	alive   context.Context
	cancel  context.CancelFunc

	mu        sync.Mutex
	raw       net.Conn                 // the last socket, without TLS; nil before the first
	server    string                   // the address of the server at its other end
	handshake *transport.HandshakeConn // keeps the server's reason for refusing the connection
	failed    error                    // why the last dial failed; nil if it did not
	replaced  error                    // that another server is the master: see leave
	closed    bool
}

func newLine(f *Factory) *line {
	l := &line{factory: f, find: f.find, at: f.Target.At}
	l.alive, l.cancel = context.WithCancel(context.Background())
	return l
}

// dial is a go-redis Dialer. It dials the address that find returns.
func (l *line) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, l.factory.options.dialTimeout) // TLS included
	defer cancel()
	defer context.AfterFunc(l.alive, cancel)()
	server, err := l.find(ctx)
	var raw, socket net.Conn
	if err == nil {
		raw, socket, err = l.open(ctx, network, server)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = err
	if err != nil {
		return nil, err
	}
	if l.closed {
		_ = raw.Close()
		return nil, net.ErrClosed
	}
	l.raw, l.server, l.replaced = raw, server, nil
	l.handshake = &transport.HandshakeConn{Conn: socket}
	return l.handshake, nil
}

func (l *line) open(ctx context.Context, network, address string) (raw, socket net.Conn, err error) {
	f := l.factory
	raw, err = new(net.Dialer).DialContext(ctx, network, l.at(address))
	if err != nil {
		return nil, nil, err
	}
	if tcp, ok := raw.(*net.TCPConn); ok {
		_ = tcp.SetNoDelay(f.options.noDelay)
	}
	if !f.encrypted() {
		return raw, raw, nil
	}
	socket, err = f.options.tls.Client(ctx, raw, address)
	if err != nil {
		_ = raw.Close()
		return nil, nil, fmt.Errorf("TLS handshake: %w", err)
	}
	return raw, socket, nil
}

// settled records that the connection is set up.
func (l *line) settled() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handshake.Settled()
}

// errFull is the first thing that a server says that has as many clients as it may have.
const errFull = "max number of clients"

// because returns the cause of an error of the connection, which go-redis may not know: ctx
// has ended, the dial failed, the sentinels named another master, or the server refused the
// connection, which go-redis does not read if its own write fails first.
func (l *line) because(ctx context.Context, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var refused error
	if reason := l.handshake.Reason(); strings.Contains(reason, errFull) {
		refused = errors.New(reason)
	}
	return target.Because(ctx, err, l.failed, l.replaced, refused)
}

// leave ends the connection unless it is to the server at addr.
func (l *line) leave(addr string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.raw == nil || l.server == addr || l.replaced != nil {
		return
	}
	l.replaced = fmt.Errorf("the sentinels say that the master is %s, not %s", addr, l.server)
	_ = l.raw.Close()
}

// close ends a blocked dial, read or write, and all later ones.
func (l *line) close() {
	l.cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.raw != nil { // closing TLS may take 5 s
		_ = l.raw.Close()
	}
}

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
	if o.guided {
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
	l.settled()
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
