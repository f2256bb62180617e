package kafka

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kadm"
)

// Levels returns how Kafka keeps each level of durability.
func Levels() []target.Level {
	return []target.Level{
		{Durability: requester.None, Options: "acks=0"},
		{Durability: requester.Accepted, Options: "acks=1", Note: "Kafka has no such level: the leader writes a message to its log first, so it is that of process"},
		{Durability: requester.Process, Options: "acks=1&replication-factor=1", Asked: "Metadata of the topic", Note: "with more copies than one, acks=all: otherwise a copy that lacks the message may take over"},
		{Durability: requester.Machine, Options: "acks=1&replication-factor=1&flush-messages=1", Asked: "Metadata, DescribeConfigs of the topic", Note: "otherwise Kafka does not sync before it acknowledges; transactions need log.flush.interval.messages=1 of the brokers, too"},
		{
			Durability: requester.Node, Options: "acks=all&idempotent=true&replication-factor=3&min-insync-replicas=2",
			Server: "three brokers, unclean.leader.election.enable=false", Asked: "Metadata, DescribeConfigs of the brokers and of the topic",
		},
	}
}

// backs returns the highest level that the options allow. The copies of a broker's default are
// not known yet.
func (o *options) backs() requester.Durability {
	switch {
	case o.acks == "0" || o.maxAge > 0: // the broker deletes what it acknowledged
		return requester.None
	case o.acks == "all" && (o.replication > 1 || o.replication == brokerDefault) && (o.minInSync > 1 || o.minInSync == 0):
		return requester.Node
	}
	return o.alone()
}

// alone returns the level without copies. Only the leader has a message that it acknowledged
// without the others: if it ends, a broker that lacks the message leads, whatever is on the old
// leader's disk.
func (o *options) alone() requester.Durability {
	switch {
	case o.acks == "1" && o.replication != 1:
		return requester.Accepted
	case o.flush == 1:
		return requester.Machine
	}
	return requester.Process
}

// backing returns the level that options and brokers back together, and sets the brokers' timers in d.
func (f *Factory) backing(ctx context.Context, admin *kadm.Client, d *requester.Description) (*requester.Backing, error) {
	o := &f.options
	backs := o.backs()
	if backs == requester.None {
		return o.durable.Back(backs)
	}
	brokers, err := admin.ListBrokers(ctx)
	if err != nil {
		return nil, err
	}
	if n := len(brokers); backs == requester.Node && n < max(o.replication, 2) {
		return o.durable.Back(backs, target.Limit{Level: o.alone(), Because: fmt.Sprintf("the number of brokers is %d", n), Remedy: "start more brokers: each copy needs another one"})
	}
	all, err := cluster.BrokerConfigs(ctx, admin, brokers.NodeIDs())
	if err != nil || len(all) == 0 {
		return o.durable.Back(backs, target.Limit{Level: o.unasked(), Because: fmt.Sprintf("the brokers' configuration is not known: %v", err), Unknown: true})
	}
	d.Timers = target.Known(all[0], "broker.session.timeout.ms", "controller.quorum.fetch.timeout.ms", "controller.quorum.election.timeout.ms", "replica.lag.time.max.ms")
	var limits []target.Limit
	for _, config := range all { // each may have its own
		limits = append(limits, o.limits(config)...)
	}
	return o.durable.Back(backs, limits...)
}

// unasked returns the level that counts if the brokers do not reveal their configuration. If a level
// was asked for, it is not verified: the brokers may delete messages early.
func (o *options) unasked() requester.Durability {
	switch {
	case o.durable.Asked() != "":
		return requester.None
	case o.transactions.on:
		return requester.Process
	}
	return o.alone()
}

// limits returns the limits that a broker's configuration sets, with those of the log that
// records commits: without it a message of a transaction is not in the store either.
func (o *options) limits(config map[string]string) []target.Limit {
	l := limiter{of: "the brokers'", config: config}
	l.deletes()
	l.limits = append(l.limits, o.retention.Limits()...)
	if o.transactions.on && o.alone() == requester.Machine && l.number("log.flush.interval.messages") != 1 {
		l.limit(requester.Process, "log.flush.interval.messages", "set it to 1: the log of transactions follows no other setting")
	}
	if o.backs() != requester.Node {
		return l.limits
	}
	if o.replication == brokerDefault && l.number("default.replication.factor") < 2 {
		l.limit(o.alone(), "default.replication.factor", "set replication-factor=3")
	}
	if o.minInSync == 0 && l.number("min.insync.replicas") < 2 {
		l.limit(o.alone(), "min.insync.replicas", "set min-insync-replicas=2")
	}
	if config["unclean.leader.election.enable"] != "false" {
		l.limit(o.alone(), "unclean.leader.election.enable", "set it to false")
	}
	for _, name := range []string{"transaction.state.log.replication.factor", "transaction.state.log.min.isr"} {
		if o.transactions.on && l.number(name) < 2 {
			l.limit(o.alone(), name, "raise it before there is a transaction, or leave out transactions")
		}
	}
	return l.limits
}

// A broker that keeps this much of a partition for this long keeps a run until its audit.
const (
	enoughTime  = 24 * time.Hour
	enoughBytes = 64 << 30
)

// deletes adds the limits of settings with which a broker deletes acknowledged messages although
// nothing has failed. -1 means never, and the first setting of time that is there counts.
func (l *limiter) deletes() {
	const remedy = "raise it, or set it to -1"
	if n := l.number("log.retention.bytes"); n > 0 && n < enoughBytes {
		l.limit(requester.None, "log.retention.bytes", remedy)
	}
	name, unit := "log.retention.hours", time.Hour
	if l.config["log.retention.ms"] != "" {
		name, unit = "log.retention.ms", time.Millisecond
	} else if l.config["log.retention.minutes"] != "" {
		name, unit = "log.retention.minutes", time.Minute
	}
	if n := l.number(name); n > 0 && n < int64(enoughTime/unit) {
		l.limit(requester.None, name, remedy)
	}
}

// A limiter finds limits in a configuration, such as "the brokers'".
type limiter struct {
	of     string
	config map[string]string
	limits []target.Limit
}

// limit adds that a setting, which may be unknown, backs less than the options allow.
func (l *limiter) limit(level requester.Durability, name, remedy string) {
	value := l.config[name]
	l.limits = append(l.limits, target.Limit{Level: level, Because: l.of + " " + name + " is " + cmp.Or(value, "not known"), Remedy: remedy, Unknown: value == ""})
}

func (l *limiter) number(name string) int64 {
	n, _ := strconv.ParseInt(l.config[name], 10, 64)
	return n
}
