package rabbitmq

import (
	"context"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// Levels returns how RabbitMQ keeps each level of durability through AMQP 0-9-1.
func Levels() []target.Level {
	const quorumQueue = "durable=true&confirm=true&queue-type=quorum"
	return []target.Level{
		{Durability: requester.None, Options: "confirm=false", Note: "without publisher confirms"},
		{Durability: requester.Accepted, Options: "durable=true&confirm=true", Note: "a queue that is not durable goes with its connection"},
		{
			Durability: requester.Process, Options: "durable=true&confirm=true&persistent=true",
			Note: "classic queues do not sync before they confirm in all versions",
		},
		{
			Durability: requester.Machine, Options: quorumQueue, Server: "raft.wal_sync_method not none",
			Note: "the default of wal_sync_method syncs; the broker does not tell it: not verified",
		},
		{
			Durability: requester.Node, Options: quorumQueue, Server: "three nodes in a cluster", Asked: "/api/nodes of the management API",
			Note: "a quorum queue has a member on three of the nodes, by default",
		},
	}
}

// backs returns the most that the options allow.
func (o *options) backs() requester.Durability {
	switch {
	case !o.confirm || !o.durable:
		return requester.None
	case o.queueType == quorum:
		return requester.Node
	case o.persistent:
		return requester.Process
	}
	return requester.Accepted
}

// backing returns what options and broker back together.
func (f *Factory) backing(ctx context.Context) (*requester.Backing, error) {
	backs := f.options.backs()
	if backs != requester.Node {
		return f.options.durability.Back(backs)
	}
	synced := target.Limit{Level: requester.Process, Because: "raft.wal_sync_method is not known", Unknown: true}
	var nodes []struct{ Running bool }
	err := f.manage(ctx, "", "nodes", "running", &nodes)
	running := 0
	for _, node := range nodes {
		if node.Running {
			running++
		}
	}
	switch {
	case err != nil:
		lone := target.Limit{Level: requester.Machine, Because: "the number of nodes is not known: " + err.Error() + " (option management)", Unknown: true}
		return f.options.durability.Back(backs, lone, synced)
	case running < 3:
		lone := target.Limit{
			Level: requester.Machine, Because: fmt.Sprintf("the cluster has %d running nodes", running),
			Remedy: "node needs three",
		}
		return f.options.durability.Back(backs, lone, synced)
	}
	return f.options.durability.Back(backs) // two more nodes have it
}
