package rabbitmq

import (
	"errors"

	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	quorum   = "quorum"
	overflow = "reject-publish" // the behaviour of a queue at its max-length
	members  = 3                // of a quorum queue that is to survive the loss of a node
)

// A Queue has the options of a connection's queue and its messages, which are the same over
// AMQP 1.0.
type Queue struct {
	Type       string // classic or quorum
	Durable    bool
	MaxLength  int // messages; 0: no limit
	Persistent bool
	Single     bool // one of its consumers is active
}

// Define adds the options to set, with their defaults.
func (q *Queue) Define(set target.Options) {
	set.Choice(&q.Type, "queue-type", "classic", []string{"classic", quorum}, "type of each connection's queue; quorum needs durable=true")
	set.BoolVar(&q.Durable, "durable", false, "keep the queue when its connection is lost or the broker restarts; otherwise it is exclusive and goes with the connection")
	set.IntVar(&q.MaxLength, "max-length", 0, "messages in the queue above which the broker rejects more; 0: no limit")
	set.BoolVar(&q.Single, "single-active-consumer", false, "with groups of consumers: one member receives everything, and another one only when that is gone (x-single-active-consumer)")
	set.BoolVar(&q.Persistent, "persistent", false, "write messages to disk; needs durable=true")
}

// Check reports every option with a bad value, and options that contradict each other, at
// once.
func (q *Queue) Check() error {
	return errors.Join(
		target.Between("max-length", q.MaxLength, 0, 1<<31-1),
		target.Refuse(q.Type == quorum && !q.Durable, "option queue-type=quorum needs durable=true: quorum queues are always durable"),
		target.Refuse(q.Persistent && !q.Durable, "option persistent=true needs durable=true: otherwise messages go with their queue"),
	)
}

// Backs returns the most durability that the options allow. confirmed reports whether the broker
// acknowledges exactly the messages that reach the queue.
func (q *Queue) Backs(confirmed bool) requester.Durability {
	switch {
	case !confirmed || !q.Durable:
		return requester.None
	case q.Type == quorum:
		return requester.Node
	case q.Persistent:
		return requester.Process
	}
	return requester.Accepted
}

// Arguments returns the arguments of the queue. They always include the type, because a vhost
// may have another default. The durability node sets the number of members: the broker's default,
// quorum_cluster_size, may be lower, and no API reports it.
func (q *Queue) Arguments(durability *target.Durable) map[string]any {
	args := map[string]any{"x-queue-type": q.Type}
	if q.Durable {
		args["x-expires"] = expiry.Milliseconds()
	}
	if durability.Asked() == requester.Node {
		args["x-quorum-initial-group-size"] = members
	}
	if q.Single {
		args["x-single-active-consumer"] = true
	}
	if q.MaxLength > 0 {
		args["x-max-length"], args["x-overflow"] = int64(q.MaxLength), overflow
	}
	return args
}

// AuditArguments returns the arguments of the audit queue, which holds all messages of a run.
func (q *Queue) AuditArguments(durability *target.Durable) map[string]any {
	all := *q
	all.MaxLength, all.Single = 0, false
	args := all.Arguments(durability)
	args["x-expires"] = auditExpiry.Milliseconds()
	return args
}

// described returns the queue of that name for the policies that may apply to it.
func (q *Queue) described(name string) management.Queue {
	described := management.Queue{Name: name, Type: q.Type}
	if q.Durable {
		described.Expires = expiry
	}
	if q.MaxLength > 0 {
		described.Overflow = overflow
	}
	return described
}
