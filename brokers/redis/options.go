package redis

import (
	"context"
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// options are the options of a target, as its URL gives them.
type options struct {
	name          string
	protocol      int
	dialTimeout   time.Duration
	setupTimeout  time.Duration
	reconnectWait time.Duration
	noDelay       bool
	readBuffer    int
	tls           target.TLS

	stream       string
	readCount    int
	maxLen       int
	waitReplicas int
	waitFsync    bool
	waitTimeout  time.Duration

	sentinelAuth bool
	guided       bool // sentinels say where the server is

	durable target.Durable
}

// The values of the option stream.
const (
	streamNone  = "none"
	streamRead  = "read"
	streamGroup = "group"
)

// define adds every option to set, with its default. guided says that sentinels know the
// server.
func (o *options) define(set target.Options, guided bool) {
	if o.guided = guided; guided {
		set.BoolVar(&o.sentinelAuth, "sentinel-auth", false, "the sentinels want the URL's user and password, too")
	}
	set.StringVar(&o.name, "name", "brokerbench", "name of the connections, as CLIENT LIST shows it")
	set.IntVar(&o.protocol, "protocol", 2, "version of the protocol RESP, 2 or 3; go-redis's default: 3")
	set.DurationVar(&o.dialTimeout, "dial-timeout", 5*time.Second, "time limit of each attempt to connect, TLS included")
	set.DurationVar(&o.setupTimeout, "setup-timeout", 5*time.Second, "time limit of each command before and after the run, such as AUTH; messages have none")
	set.DurationVar(&o.reconnectWait, "reconnect-wait", 100*time.Millisecond, "pause between attempts to reconnect, without jitter")
	set.BoolVar(&o.noDelay, "no-delay", true, "TCP_NODELAY: send small messages at once")
	set.IntVar(&o.readBuffer, "read-buffer", 32<<10, "size in bytes of the subscriber's read buffer")
	o.tls.Define(set)
	set.Choice(&o.stream, "stream", streamNone, []string{streamNone, streamRead, streamGroup}, "none: pub/sub, which keeps nothing; read or group: a stream, which XADD adds to and acknowledges; XREAD reads it, or XREADGROUP and XACK")
	set.IntVar(&o.readCount, "read-count", 100, "of the stream: messages that one read takes at most")
	set.IntVar(&o.maxLen, "max-len", 0, "of the stream: XADD trims it to about so many messages, so that none of them is promised to be kept, and there is no audit; 0: never")
	set.IntVar(&o.waitReplicas, "wait-replicas", 0, "of the stream: a message is acknowledged when so many replicas have it, too: WAIT; 0: none need to")
	set.BoolVar(&o.waitFsync, "wait-fsync", false, "of the stream: a message is acknowledged when it is on the server's disk, and on that of wait-replicas replicas: WAITAOF, from Redis 7.2 on")
	set.DurationVar(&o.waitTimeout, "wait-timeout", 5*time.Second, "how long WAIT and WAITAOF wait; then the message has failed")
	o.durable.Define(set, levels(guided))
}

// check reports every option with a bad value, and options that contradict each
// other, at once.
func (o *options) check(encrypted bool) error {
	return errors.Join(
		target.Between("protocol", o.protocol, 2, 3),
		target.Between("dial-timeout", o.dialTimeout, time.Millisecond, time.Hour),
		target.Between("setup-timeout", o.setupTimeout, time.Millisecond, time.Hour),
		target.Between("reconnect-wait", o.reconnectWait, time.Millisecond, time.Hour),
		target.Between("read-buffer", o.readBuffer, 4<<10, 64<<20),
		o.tls.Check(encrypted, schemeTLS),
		target.Between("read-count", o.readCount, 1, 1_000_000),
		target.Between("max-len", o.maxLen, 0, 1<<40),
		target.Between("wait-replicas", o.waitReplicas, 0, 1000),
		target.Between("wait-timeout", o.waitTimeout, time.Millisecond, time.Hour),
		target.Refuse(o.stream == streamNone && (o.maxLen != 0 || o.waitReplicas != 0 || o.waitFsync), "options max-len, wait-replicas and wait-fsync need the option stream=read or stream=group"),
		o.durable.Check(o.backs()),
	)
}

// trim returns what XADD is told of the length of the stream.
func (o *options) trim() []string {
	if o.maxLen == 0 {
		return nil
	}
	return []string{"MAXLEN", "~", strconv.Itoa(o.maxLen)}
}

// fixed returns the settings that are not options.
func (f *Factory) fixed() []requester.Setting {
	return []requester.Setting{
		{Name: "database", Value: strconv.Itoa(f.database), Doc: "from the URL's path: where streams are; makes no difference to pub/sub"},
		{Name: "maint-notifications", Value: "disabled", Doc: "fixed: go-redis's default asks the server for them"},
		{Name: "publish", Value: "written by Request, replies read by another goroutine", Doc: "fixed: go-redis's Publish waits for its own reply"},
		{Name: "retries", Value: "0", Doc: "fixed: go-redis's default repeats a command up to 3 times"},
	}
}

// client makes a client whose sockets come from dial.
func (f *Factory) client(dial dialer) *redis.Client { return redis.NewClient(f.clientOptions(dial)) }

type dialer = func(ctx context.Context, network, address string) (net.Conn, error)

// clientOptions are those of a client that uses one socket at a time, so that its pools are as
// small as possible.
func (f *Factory) clientOptions(dial dialer) *redis.Options {
	o := &f.options
	all := &redis.Options{
		Addr: f.target.Addrs(defaultPort)[0], Username: f.target.User, Password: f.target.Password, DB: f.database,
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

// dialled makes a client from a socket that l has dialled. If go-redis's pool
// dialled, it would print every failed attempt on standard error.
func (f *Factory) dialled(ctx context.Context, l *line) (*redis.Client, error) {
	socket, err := l.dial(ctx, "tcp", f.target.Addrs(defaultPort)[0])
	if err != nil {
		return nil, err
	}
	return f.client(func(context.Context, string, string) (net.Conn, error) { return socket, nil }), nil
}

// Options returns every option of a target with that scheme, one of [Schemes], with its
// default and a line of documentation.
func Options(scheme string) []requester.Setting {
	define := func(set target.Options) { new(options).define(set, guided(scheme)) }
	return target.NewOptions("redis", define).Settings()
}
