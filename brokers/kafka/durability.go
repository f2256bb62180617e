package kafka

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kadm"
)

// Levels returns how Kafka keeps each level of durability.
func Levels() []target.Level {
	return []target.Level{
		{Durability: requester.None, Options: "acks=0"},
		{Durability: requester.Accepted, Options: "acks=1", Note: "Kafka has no such level: the leader writes a message to its log first, so it is that of process"},
		{Durability: requester.Process, Options: "acks=1&replication-factor=1", Note: "with more copies than one, acks=all: otherwise a copy that lacks the message may take over"},
		{Durability: requester.Machine, Options: "acks=1&replication-factor=1&flush-messages=1", Note: "otherwise Kafka does not sync before it acknowledges"},
		{
			Durability: requester.Node, Options: "acks=all&replication-factor=3&min-insync-replicas=2",
			Server: "three brokers, unclean.leader.election.enable=false", Asked: "Metadata, DescribeConfigs",
		},
	}
}

// backs returns the most that the options allow. The copies of a broker's default are
// not known yet.
func (o *options) backs() requester.Durability {
	switch {
	case o.acks == "0":
		return requester.None
	case o.acks == "all" && (o.replication > 1 || o.replication == brokerDefault) && (o.minInSync > 1 || o.minInSync == 0):
		return requester.Node
	}
	return o.alone()
}

// alone returns what is left if copies do not count. The leader alone has a message that it
// acknowledged without the others: if it ends, one that lacks the message leads, whatever
// the old leader has on its disk.
func (o *options) alone() requester.Durability {
	switch {
	case o.acks == "1" && o.replication != 1:
		return requester.Accepted
	case o.flush == 1:
		return requester.Machine
	}
	return requester.Process
}

// backing returns what options and brokers back together.
func (f *Factory) backing(ctx context.Context, admin *kadm.Client) (*requester.Backing, error) {
	o := &f.options
	if o.backs() != requester.Node {
		return o.durable.Back(o.backs())
	}
	brokers, err := admin.ListBrokers(ctx)
	if err != nil {
		return nil, err
	}
	if len(brokers) < max(o.replication, 2) {
		return o.durable.Back(o.backs(), target.Limit{
			Level: o.alone(), Because: fmt.Sprintf("the number of brokers is %d", len(brokers)), Remedy: "add brokers: a copy needs one of its own",
		})
	}
	config, err := brokerConfig(ctx, admin, brokers.NodeIDs()[0])
	if err != nil {
		return o.durable.Back(o.backs(), target.Limit{Level: o.alone(), Because: "the brokers' configuration is not known: " + err.Error(), Unknown: true})
	}
	return o.durable.Back(o.backs(), o.limits(config)...)
}

// limits returns what the configuration of the brokers says about copies.
func (o *options) limits(config map[string]string) (list []target.Limit) {
	add := func(name, remedy string) {
		value := cmp.Or(config[name], "not known")
		list = append(list, target.Limit{Level: o.alone(), Because: "the brokers' " + name + " is " + value, Remedy: remedy, Unknown: config[name] == ""})
	}
	if copies, _ := strconv.Atoi(config["default.replication.factor"]); o.replication == brokerDefault && copies < 2 {
		add("default.replication.factor", "set replication-factor=3")
	}
	if least, _ := strconv.Atoi(config["min.insync.replicas"]); o.minInSync == 0 && least < 2 {
		add("min.insync.replicas", "set min-insync-replicas=2")
	}
	if config["unclean.leader.election.enable"] != "false" {
		add("unclean.leader.election.enable", "set it to false")
	}
	return list
}

// brokerConfig asks a broker for its configuration.
func brokerConfig(ctx context.Context, admin *kadm.Client, id int32) (map[string]string, error) {
	all, err := admin.DescribeBrokerConfigs(ctx, id)
	if err != nil {
		return nil, err
	}
	config := make(map[string]string)
	for _, broker := range all {
		if broker.Err != nil {
			return nil, broker.Err
		}
		for _, c := range broker.Configs {
			config[c.Key] = c.MaybeValue()
		}
	}
	return config, nil
}
