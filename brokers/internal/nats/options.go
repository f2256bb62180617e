package nats

import (
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
)

// options are the options of a target, as its URL gives them.
type options struct {
	name        string
	dialTimeout time.Duration
	noDelay     bool
	writeBuffer int

	reconnectWait   time.Duration
	reconnectBuffer int
	pingInterval    time.Duration
	maxPings        int

	handshakeFirst bool
	tls            target.TLS

	stream     string
	replicas   int
	consumer   string
	maxPending int
	maxAge     time.Duration
	retention  target.Retention

	durable    target.Durable
	monitoring string
}

// The values of the options stream and consumer.
const (
	streamNone   = "none"
	streamMemory = "memory"
	streamFile   = "file"

	consumerOrdered = "ordered"
	consumerPull    = "pull"
	consumerPush    = "push"
)

// fixed are the settings of nats.go that are not options: any other value would
// lose messages silently, or measure a server other than the one named.
var fixed = []requester.Setting{
	{Name: "echo", Value: "true", Doc: "fixed: the server sends a connection its own messages back"},
	{Name: "max-reconnects", Value: "unlimited", Doc: "fixed: nats.go's default gives up after 60"},
	{Name: "pending-limits", Value: "none", Doc: "fixed: nats.go's default drops messages when the consumer is slow"},
	{Name: "republish", Value: "twice, 250ms apart", Doc: "fixed: of the stream: nats.go's default while no server has a leader for it; messages then arrive out of order"},
	{Name: "server-pool", Value: "the URL's hosts, in order", Doc: "fixed: servers that the cluster announces are ignored"},
	{Name: "write-timeout", Value: "none", Doc: "fixed: nats.go's default is 1m0s for each write"},
}

// define adds every option to set, with its default.
func (o *options) define(set target.Options) {
	set.StringVar(&o.name, "name", "brokerbench", "name of the connections, as the server shows it")
	set.DurationVar(&o.dialTimeout, "dial-timeout", 2*time.Second, "time limit of each attempt to connect, and of the handshake after it")
	set.BoolVar(&o.noDelay, "no-delay", true, "TCP_NODELAY: send small messages at once")
	set.IntVar(&o.writeBuffer, "write-buffer", 32768, "bytes to buffer: a goroutine of nats.go, the flusher, writes them at once; with 1, Publish writes each message itself")
	set.DurationVar(&o.reconnectWait, "reconnect-wait", 100*time.Millisecond, "pause between attempts to reconnect, without jitter")
	set.IntVar(&o.reconnectBuffer, "reconnect-buffer", -1, "bytes of messages to keep while disconnected; -1: none, so that requests fail; nats.go's default: 8388608")
	set.DurationVar(&o.pingInterval, "ping-interval", 2*time.Minute, "time between pings to the server; 0: no pings")
	set.IntVar(&o.maxPings, "max-pings-out", 2, "unanswered pings after which to reconnect")
	set.BoolVar(&o.handshakeFirst, "tls-handshake-first", false, "start TLS before the server sends anything; the server must be configured for it")
	o.tls.Define(set)
	set.Choice(&o.stream, "stream", streamNone, []string{streamNone, streamFile, streamMemory}, "none: core NATS, which keeps nothing; file or memory: a JetStream stream, which acknowledges each message")
	set.IntVar(&o.replicas, "replicas", 1, "of the stream: 1, 3 or 5, as many servers as that at least")
	set.Choice(&o.consumer, "consumer", consumerOrdered, []string{consumerOrdered, consumerPull, consumerPush}, "of the stream: ordered, which acknowledges nothing; pull or push, which acknowledge each message")
	set.IntVar(&o.maxPending, "max-pending", 0, "messages of a connection without an acknowledgement, beyond which a request waits 200 ms and fails; 0: no limit; nats.go's default: 4000")
	set.DurationVar(&o.maxAge, "max-age", 0, "of the stream: the server removes messages of this age, so there is no audit; 0: never")
	o.retention.Define(set, "one by one (max_bytes of the stream, with discard old)")
	o.durable.Define(set, Levels())
	set.StringVar(&o.monitoring, "monitoring", "", "URL of the server's monitoring port, which is asked for sync_interval; \"\": port 8222 of the host")
}

// check reports every option with a bad value, and options that contradict each
// other, at once.
func (o *options) check(encrypted bool) error {
	return errors.Join(
		target.Between("dial-timeout", o.dialTimeout, time.Millisecond, time.Hour),
		target.Between("write-buffer", o.writeBuffer, 1, 1<<30),
		target.Between("reconnect-wait", o.reconnectWait, time.Millisecond, time.Hour),
		target.Between("reconnect-buffer", o.reconnectBuffer, 1, 1<<30, -1),
		target.Between("ping-interval", o.pingInterval, 0, 24*time.Hour),
		target.Refuse(o.replicas != 1 && o.replicas != 3 && o.replicas != 5, "option replicas: %d is not 1, 3 or 5", o.replicas),
		target.Between("max-pending", o.maxPending, 0, 1<<30),
		target.Between("max-age", o.maxAge, time.Second, 10000*time.Hour, 0),
		target.Refuse(o.stream == streamNone && (o.replicas != 1 || o.consumer != consumerOrdered || o.maxPending != 0 || o.maxAge != 0), "options replicas, consumer, max-pending and max-age need the option stream"),
		o.retention.Check(o.stores(), "stream=file or stream=memory"),
		target.Between("max-pings-out", o.maxPings, 1, 1000),
		o.tls.Check(encrypted, schemeTLS),
		target.Refuse(!encrypted && o.handshakeFirst, "option tls-handshake-first needs the scheme %s", schemeTLS),
		target.CheckHTTP("option monitoring", o.monitoring),
		o.durable.Check(o.backs()),
	)
}

// stores reports whether messages go through a stream, which acknowledges them.
func (o *options) stores() bool { return o.stream != streamNone }

// clientOptions returns the options that all connections of f share.
func (f *Factory) clientOptions() ([]nats.Option, error) {
	o := &f.options
	all := []nats.Option{
		nats.Name(o.name), nats.Timeout(o.dialTimeout), nats.FlusherTimeout(0), nats.WriteBufferSize(o.writeBuffer),
		nats.MaxReconnects(-1), nats.ReconnectWait(o.reconnectWait), nats.ReconnectJitter(0, 0),
		nats.ReconnectBufSize(o.reconnectBuffer), nats.PingInterval(o.pingInterval), nats.MaxPingsOutstanding(o.maxPings),
		nats.DontRandomize(), nats.IgnoreDiscoveredServers(), nats.SkipHostLookup(),
		nats.IgnoreAuthErrorAbort(), nats.NoCallbacksAfterClientClose(),
	}
	switch {
	case f.token != "":
		all = append(all, nats.Token(f.token))
	case f.Target.User != "":
		all = append(all, nats.UserInfo(f.Target.User, f.Target.Password))
	}
	if !f.encrypted() {
		return all, nil
	}
	config, err := o.tls.Config()
	if o.handshakeFirst {
		all = append(all, nats.TLSHandshakeFirst())
	}
	return append(all, nats.Secure(config)), err
}

// Options returns every option of a target with that scheme, nats, nats+tls or
// tls, with its default and a line of documentation.
func Options(string) []requester.Setting {
	return target.NewOptions("nats", new(options).define).Settings()
}
