package redis

import (
	"context"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

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
