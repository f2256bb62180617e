package kafka

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	minMessageBytes = 1 << 10
	maxMessageBytes = 96 << 20              // a broker accepts requests of 100 MiB by default
	minFetchWait    = 10 * time.Millisecond // franz-go's own limit
	brokerDefault   = -1                    // of replication-factor

	consumerDirect  = "direct"
	consumerShare   = "share"
	isolationAuto   = "auto"
	readUncommitted = "read_uncommitted"
	readCommitted   = "read_committed"
)

// maxShareWait bounds how long a fetch through a share group may wait.
const maxShareWait = time.Second

// options are the options of a target, as its URL gives them.
type options struct {
	acks         string
	idempotent   bool
	transactions transactions
	linger       time.Duration
	compression  string
	inFlight     int

	partitions  int
	replication int
	maxMessage  int
	minInSync   int
	flush       int
	maxAge      time.Duration
	retention   target.Retention

	consumer  string
	protocol  string
	isolation string
	fetchWait time.Duration
	fetchMin  int
	fetchMost int

	sasl string
	tls  target.TLS

	durable target.Durable
}

// define adds every option to set, with its default.
func (o *options) define(set target.Options) {
	set.Choice(&o.acks, "acks", "1", []string{"0", "1", "all"}, "brokers that acknowledge a message: none, the leader, or all in-sync replicas")
	set.BoolVar(&o.idempotent, "idempotent", false, "have the broker drop duplicates that a retry makes; needs acks=all")
	set.Var(&o.transactions, "transactions", "none; each: one for every message, at most 60 to 75 a second; or how long one stays open, such as 100ms; needs acks=all, idempotent=true")
	set.DurationVar(&o.linger, "linger", 0, "how long a message waits for others to join its batch")
	set.Choice(&o.compression, "compression", "none", []string{"none", "gzip", "snappy", "lz4", "zstd"}, "compression of batches")
	set.IntVar(&o.inFlight, "requests-in-flight", 5, "produce requests in flight at once; always 5 with idempotent")
	set.IntVar(&o.partitions, "partitions", 1, "partitions of each connection's topic, used in turn, or as the keys of messages say")
	set.IntVar(&o.replication, "replication-factor", 1, "copies of each partition; -1: the broker's default.replication.factor")
	set.IntVar(&o.maxMessage, "max-message-bytes", 2<<20, "largest batch, and so the largest message, in bytes: the topic's max.message.bytes")
	set.IntVar(&o.minInSync, "min-insync-replicas", 0, "copies without which acks=all refuses a message: the topic's min.insync.replicas; 0: the broker's default")
	set.IntVar(&o.flush, "flush-messages", 0, "messages after which the broker has them on disk, with fsync: the topic's flush.messages; 1: each; 0: the broker's default")
	set.DurationVar(&o.maxAge, "max-age", 0, "age at which the broker may delete messages: the topic's retention.ms and segment.ms, so there is no audit; 0: the broker's default")
	o.retention.Define(set, "in segments of an eighth, of max-message-bytes at least (retention.bytes and segment.bytes of the topics); it looks every log.retention.check.interval.ms, five minutes by default")
	set.Choice(&o.consumer, "consumer", consumerDirect, []string{consumerDirect, consumerShare}, "fetch the partitions directly, or through a share group of each connection's own (Kafka 4.2)")
	set.Choice(&o.protocol, "group-protocol", cluster.Classic, []string{cluster.Classic, cluster.Consumer}, "with groups of consumers and consumer=direct: the members divide the partitions, or the broker does (KIP-848, Kafka 4.0)")
	set.Choice(&o.isolation, "isolation", isolationAuto, []string{isolationAuto, readUncommitted, readCommitted}, "the messages to deliver; auto: with transactions the committed ones, else all")
	set.DurationVar(&o.fetchWait, "fetch-max-wait", 500*time.Millisecond, "how long a fetch waits for fetch-min-bytes; no delay if that is 1")
	set.IntVar(&o.fetchMin, "fetch-min-bytes", 1, "bytes that the broker waits for before it answers a fetch")
	set.IntVar(&o.fetchMost, "fetch-max-partition-bytes", 4<<20, "bytes of a partition in an answer to a fetch, at most; at least max-message-bytes")
	set.Choice(&o.sasl, "sasl", "none", []string{"none", "plain", "scram-sha-256", "scram-sha-512"}, "mechanism that proves the URL's user and password")
	o.tls.Define(set)
	o.durable.Define(set, Levels())
}

// check reports every option with a bad value, and options that contradict each
// other, at once.
func (o *options) check(t target.Target) error {
	return errors.Join(
		target.Refuse(o.idempotent && o.acks != "all", "option idempotent=true needs acks=all, not acks=%s", o.acks),
		target.Refuse(o.transactions.on && (o.acks != "all" || !o.idempotent), "option transactions=%v needs acks=all and idempotent=true", o.transactions.String()),
		target.Between("transactions", o.transactions.open, minOpen, maxOpen, 0),
		target.Between("linger", o.linger, 0, time.Minute),
		target.Between("requests-in-flight", o.inFlight, 1, 1000),
		target.Between("partitions", o.partitions, 1, 1000),
		target.Between("max-message-bytes", o.maxMessage, minMessageBytes, maxMessageBytes),
		target.Between("replication-factor", o.replication, 1, 1000, brokerDefault),
		target.Between("min-insync-replicas", o.minInSync, 0, 1000),
		o.retention.Check(o.acknowledges(), "acks=1 or acks=all"),
		target.Between("flush-messages", o.flush, 0, math.MaxInt32),
		target.Between("max-age", o.maxAge, time.Second, 10000*time.Hour, 0),
		target.Refuse(o.replication != brokerDefault && o.minInSync > o.replication,
			"option min-insync-replicas=%d needs replication-factor=%d, or more: otherwise every message is refused", o.minInSync, o.minInSync),
		target.Refuse(o.minInSync > 0 && o.acks != "all", "option min-insync-replicas needs acks=all, not acks=%s: otherwise it says nothing", o.acks),
		target.Between("fetch-max-wait", o.fetchWait, minFetchWait, time.Minute),
		target.Refuse(o.shares() && o.fetchWait > maxShareWait, "option consumer=share needs a fetch-max-wait of %v at most: the broker hears only in the next fetch what was consumed", maxShareWait),
		target.Refuse(o.shares() && o.protocol != cluster.Classic, "option group-protocol=%s is for consumer groups: leave out consumer=share", o.protocol),
		target.Between("fetch-min-bytes", o.fetchMin, 1, maxMessageBytes),
		target.Between("fetch-max-partition-bytes", o.fetchMost, minMessageBytes, maxMessageBytes),
		o.tls.Check(t.Scheme == schemeTLS, schemeTLS),
		target.Refuse(t.User != "" && o.sasl == "none", "user and password need the option sasl=scram-sha-512, scram-sha-256 or plain"),
		o.durable.Check(o.backs()),
		target.Refuse(t.User == "" && o.sasl != "none", "option sasl=%s needs user:password@ before the host", o.sasl),
	)
}

// resolve puts the value in force in the place of auto.
func (o *options) resolve() {
	if o.isolation != isolationAuto {
		return
	}
	o.isolation = readUncommitted
	if o.transactions.on {
		o.isolation = readCommitted
	}
}

// shares reports whether messages are consumed through a share group.
func (o *options) shares() bool { return o.consumer == consumerShare }

// groupProtocol returns that of the groups of a topology.
func (o *options) groupProtocol() string {
	if o.shares() {
		return cluster.Share
	}
	return o.protocol
}

// isolation returns the messages of a log that are delivered.
func isolation(committed bool) kgo.IsolationLevel {
	if committed {
		return kgo.ReadCommitted()
	}
	return kgo.ReadUncommitted()
}

// acknowledges reports whether the broker acknowledges messages.
func (o *options) acknowledges() bool { return o.acks != "0" }

// topicConfig returns the settings of each of so many topics. All others have the broker's
// default.
func (o *options) topicConfig(topics int) map[string]string {
	config := map[string]string{}
	for name, value := range map[string]int{
		"max.message.bytes": o.maxMessage, "min.insync.replicas": o.minInSync, "flush.messages": o.flush,
		"retention.ms": int(o.maxAge.Milliseconds()), "segment.ms": int(o.maxAge.Milliseconds()),
	} {
		if value > 0 {
			config[name] = strconv.Itoa(value)
		}
	}
	if share := o.retention.Share(topics * o.partitions); share > 0 {
		config["cleanup.policy"], config["retention.bytes"] = "delete", strconv.FormatInt(share, 10)
		config["segment.bytes"] = strconv.FormatInt(max(target.Segment(share), int64(o.maxMessage)), 10)
	}
	return config
}

// groupConfig returns the settings of a share group; nil for another. Without the first it would begin
// with messages that are produced after its creation, which may be too late for the probes.
func (o *options) groupConfig(kind string) map[string]string {
	if kind != shareKind {
		return nil
	}
	return map[string]string{"share.auto.offset.reset": "earliest", "share.isolation.level": o.isolation}
}

// Options returns every option with its default and a line of documentation. The
// schemes, kafka and kafka+tls, have the same ones.
func Options(string) []requester.Setting {
	return target.NewOptions(name, new(options).define).Settings()
}
