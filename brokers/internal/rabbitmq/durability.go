package rabbitmq

import (
	"context"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// Levels returns how RabbitMQ keeps each level of durability through AMQP 0-9-1.
func Levels() []target.Level {
	return LevelsWith("durable=true&confirm=true&mandatory=true&exchange=fanout",
		"without durable a queue goes with its connection; without mandatory, dropped messages are confirmed, too; the exchange feeds a second queue, from which nothing is consumed: a message that is consumed at once is never stored")
}

// LevelsWith returns how RabbitMQ keeps each level of durability through a protocol that has
// the options confirm, persistent and queue-type. confirmed are the options that make the broker
// acknowledge messages, and note explains them.
func LevelsWith(confirmed, note string) []target.Level {
	const policies = "/api/policies of the management API"
	quorumQueue := confirmed + "&queue-type=quorum"
	return []target.Level{
		{Durability: requester.None, Options: "confirm=false", Note: "without publisher confirms"},
		{Durability: requester.Accepted, Options: confirmed, Asked: policies, Note: note},
		{
			Durability: requester.Process, Options: confirmed + "&persistent=true", Asked: policies,
			Note: "classic queues do not sync before they confirm in all versions",
		},
		{
			Durability: requester.Machine, Options: quorumQueue, Server: "ra's WAL syncs before it notifies", Asked: policies,
			Note: "it does by default; the broker does not report its wal_sync_method and wal_write_strategy: not verified",
		},
		{
			Durability: requester.Node, Options: quorumQueue, Server: "three nodes in a cluster", Asked: "/api/nodes, " + policies,
			Note: "the queue is declared with three members",
		},
	}
}

// backs returns the most durability that the options allow. Without mandatory the broker also
// confirms messages that it drops because they reach no queue.
func (o *options) backs() requester.Durability { return o.queue.Backs(o.confirm && o.mandatory) }

// Backing returns what options and broker back together.
func (q *Queues) Backing(ctx context.Context) (*requester.Backing, error) {
	return q.broker.Back(ctx, q.options.backs(), q.options.queue.described(q.Queue(0)), oneMember)
}

// oneMember returns the limits of a quorum queue that may have one member only, and why.
func oneMember(why string, unknown bool) []target.Limit {
	return []target.Limit{
		{Level: requester.Machine, Because: why, Remedy: "node needs three", Unknown: unknown},
		{Level: requester.Process, Because: "ra's wal_sync_method and wal_write_strategy are not known", Unknown: true},
	}
}
