package redis

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
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
	claimIdle    time.Duration
	maxLen       int
	retention    target.Retention
	waitReplicas int
	waitFsync    bool
	waitTimeout  time.Duration

	sentinelAuth bool
	guided       bool // the hosts are sentinels
	clustered    bool // the target is a cluster

	durable target.Durable
}

// The values of the option stream.
const (
	streamNone  = "none"
	streamRead  = "read"
	streamGroup = "group"
)

// define adds every option of a scheme to set, with its default.
func (o *options) define(set target.Options, scheme string) {
	o.guided, o.clustered = guided(scheme), clustered(scheme)
	if o.guided {
		set.BoolVar(&o.sentinelAuth, "sentinel-auth", false, "send the URL's user and password to the sentinels, too")
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
	set.IntVar(&o.readCount, "read-count", 100, "of the stream: the most messages that one read returns")
	set.DurationVar(&o.claimIdle, "claim-idle", 5*time.Second, "of a group of several members: they look four times in this time for messages that another one has not acknowledged for as long, and take them over (XAUTOCLAIM, Redis 6.2); with half of --timeout or more, messages of a member that is killed may count as lost; 0: never")
	set.IntVar(&o.maxLen, "max-len", 0, "of the stream: XADD trims it to about this many messages, so messages may be lost and there is no audit; 0: never")
	o.retention.Define(set, "in blocks of the stream (XADD MAXLEN ~ with the messages of this size that fit)")
	set.IntVar(&o.waitReplicas, "wait-replicas", 0, "of the stream: a message is acknowledged when this many replicas have it, too (WAIT)")
	set.BoolVar(&o.waitFsync, "wait-fsync", false, "of the stream: a message is acknowledged when it is on the disks of the server and of wait-replicas replicas (WAITAOF, Redis 7.2)")
	set.DurationVar(&o.waitTimeout, "wait-timeout", 5*time.Second, "how long WAIT and WAITAOF wait; then the message has failed")
	o.durable.Define(set, levels(o.guided, o.clustered))
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
		o.tls.Check(encrypted, scheme+"s or "+valkey+"s"),
		target.Between("read-count", o.readCount, 1, 1_000_000),
		target.Between("claim-idle", o.claimIdle, time.Millisecond, time.Hour, 0),
		target.Between("max-len", o.maxLen, 0, 1<<40),
		o.retention.Check(o.stores(), "stream=read or stream=group"),
		target.Refuse(o.maxLen > 0 && o.retention.Bytes() > 0, "options max-len and retention both limit the stream: leave out one"),
		target.Between("wait-replicas", o.waitReplicas, 0, 1000),
		target.Between("wait-timeout", o.waitTimeout, time.Millisecond, time.Hour),
		target.Refuse(o.stream == streamNone && (o.maxLen != 0 || o.waitReplicas != 0 || o.waitFsync), "options max-len, wait-replicas and wait-fsync need the option stream=read or stream=group"),
		o.durable.Check(o.backs()),
	)
}

// stores reports whether the server keeps messages, in a stream, and acknowledges them.
func (o *options) stores() bool { return o.stream != streamNone }

// fixed returns the settings that are not options.
func (f *Factory) fixed() []requester.Setting {
	return []requester.Setting{
		{Name: "database", Value: strconv.Itoa(f.database), Doc: "from the URL's path: where streams are; makes no difference to pub/sub"},
		{Name: "maint-notifications", Value: "disabled", Doc: "fixed: go-redis's default asks the server for them"},
		{Name: "publish", Value: "pipeline", Doc: fmt.Sprintf("fixed: a goroutine sends what Request has queued with go-redis's Pipeline, at most %d messages or %d B at a time; Publish and XAdd wait for their replies", pipelineMessages, pipelineBytes)},
		{Name: "retries", Value: "0", Doc: "fixed: go-redis's default repeats a command up to 3 times"},
	}
}

// Options returns every option of a target with that scheme, one of [Schemes], with its
// default and a line of documentation.
func Options(scheme string) []requester.Setting {
	define := func(set target.Options) { new(options).define(set, scheme) }
	return target.NewOptions("redis", define).Settings()
}
