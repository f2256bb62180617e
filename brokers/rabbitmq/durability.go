package rabbitmq

import (
	"context"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// Levels returns how RabbitMQ keeps each level of durability through AMQP 0-9-1.
func Levels() []target.Level {
	return LevelsWith("durable=true&confirm=true&mandatory=true",
		"without durable a queue goes with its connection; without mandatory, what is dropped is confirmed, too")
}

// LevelsWith returns how RabbitMQ keeps each level of durability through a protocol that has
// the options confirm, persistent and queue-type. confirmed are those by which a message is
// acknowledged, and why.
func LevelsWith(confirmed, why string) []target.Level {
	quorumQueue := confirmed + "&queue-type=quorum"
	return []target.Level{
		{Durability: requester.None, Options: "confirm=false", Note: "without publisher confirms"},
		{Durability: requester.Accepted, Options: confirmed, Note: why},
		{
			Durability: requester.Process, Options: confirmed + "&persistent=true",
			Note: "classic queues do not sync before they confirm in all versions",
		},
		{
			Durability: requester.Machine, Options: quorumQueue, Server: "ra's WAL syncs before it notifies",
			Note: "it does by default; the broker does not tell its wal_sync_method and wal_write_strategy: not verified",
		},
		{
			Durability: requester.Node, Options: quorumQueue, Server: "three nodes in a cluster", Asked: "/api/nodes, /api/policies of the management API",
			Note: "the queue is told to have three members",
		},
	}
}

// backs returns the most that the options allow. Without mandatory the broker confirms what
// it drops, because it reaches no queue, as if it kept it.
func (o *options) backs() requester.Durability {
	return o.queue.Backs(o.confirm && o.mandatory)
}

// Backing returns what options and broker back together.
func (f *Factory) Backing(ctx context.Context) (*requester.Backing, error) {
	backs := f.options.backs()
	if backs != requester.Node {
		return f.options.durability.Back(backs)
	}
	api, err := f.management("")
	if err != nil {
		return nil, err
	}
	var limits []target.Limit
	asked := f.options.durability.Asked()
	switch running, err := api.Running(ctx); {
	case err != nil:
		limits = append(lone("the number of nodes is not known: "+err.Error()+" (option management)", true), management.PoliciesUnknown(asked, err)...)
	case running < 3:
		limits = append(lone(fmt.Sprintf("the cluster has %d running nodes", running), false), api.Limits(ctx, f.options.queue.described(f.queue(0)), asked)...)
	default: // two more nodes have it
		limits = api.Limits(ctx, f.options.queue.described(f.queue(0)), asked)
	}
	return f.options.durability.Back(backs, limits...)
}

// lone returns the limits of a quorum queue that may have one member alone, and why.
func lone(why string, unknown bool) []target.Limit {
	return []target.Limit{
		{Level: requester.Machine, Because: why, Remedy: "node needs three", Unknown: unknown},
		{Level: requester.Process, Because: "ra's wal_sync_method and wal_write_strategy are not known", Unknown: true},
	}
}
