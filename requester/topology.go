package requester

import (
	"context"
	"errors"
	"fmt"
)

// MaxGroups is how many groups of consumers a run may have.
const MaxGroups = 64

// A Topology says which topics the messages go to, and which consumers receive them. With the
// zero value each connection consumes what it publishes. Otherwise all connections are producers:
// each group gets every message once, and the members of a group share its messages.
type Topology struct {
	Topics  int // connection i sends to topic i modulo Topics
	Groups  int // MaxGroups at most
	Members int // of each group; each member consumes from all topics
}

// Own reports whether each connection consumes what it publishes.
func (t Topology) Own() bool { return t == Topology{} }

// Topic returns the topic to which a connection sends. Both are counted from 0. It depends on the
// connection and not on the message, so that the messages of one producer have one order.
func (t Topology) Topic(conn int) int { return conn % t.Topics }

// Validate returns every mistake in a topology that is not the zero one, with so many connections.
func (t Topology) Validate(connections int) error {
	var errs []error
	if t.Topics < 1 || t.Topics > connections {
		errs = append(errs, fmt.Errorf("%v: %d topics is not between 1 and the %d connections", t, t.Topics, connections))
	}
	if t.Groups < 1 || t.Groups > MaxGroups {
		errs = append(errs, fmt.Errorf("%v: %d groups is not between 1 and %d", t, t.Groups, MaxGroups))
	}
	if t.Members < 1 {
		errs = append(errs, fmt.Errorf("%v: a group has one member at least", t))
	}
	return errors.Join(errs...)
}

// String returns the topology for people, such as "1 topic, 3 groups of 2".
func (t Topology) String() string {
	if t.Own() {
		return "own"
	}
	plural := func(n int, noun string) string {
		if n == 1 {
			return "1 " + noun
		}
		return fmt.Sprintf("%d %ss", n, noun)
	}
	return fmt.Sprintf("%s, %s of %d", plural(t.Topics, "topic"), plural(t.Groups, "group"), t.Members)
}

// A Grouper is a [Factory] of a system whose messages may go to groups of consumers. It is optional.
type Grouper interface {
	Factory
	// TakeTopology sets the topology, which is not the zero one: New then makes producers, which
	// receive nothing. It is called before New and Describe; a second call has the same topology. An
	// error is a [*TopologyError].
	TakeTopology(t Topology) error
	// NewConsumer returns a member of a group. The rules of New hold. Its sink has all functions,
	// and it calls Reply and Event: Reply takes messages of any producer.
	NewConsumer(m Member, sink Sink) (Consumer, error)
}

// A Keeper is a [Grouper] whose groups can keep messages while all members are away. It is optional.
type Keeper interface {
	Grouper
	// Keeps returns nil if a group whose members are all torn down keeps what it is owed for ten minutes,
	// until NewConsumer has made them again. The error says why not, and names the remedy, in one line. It is
	// called after TakeTopology.
	Keeps() error
}

// ErrUnacknowledged says that producers cannot make a backlog.
var ErrUnacknowledged = errors.New("a backlog needs messages that are acknowledged, and with these options they are not: ask for --durability accepted or more")

// Keep returns why a factory, which has taken a topology, cannot keep messages for a group without members; nil if it can.
// The error is a [*TopologyError].
func Keep(f Factory, t Topology) error {
	k, ok := As[Keeper](f)
	if !ok {
		return &TopologyError{t, "a backlog needs a system that keeps messages for a group whose consumers are away, and this one does not yet"}
	}
	if err := k.Keeps(); err != nil {
		return &TopologyError{t, "a backlog needs messages that are kept while consumers are away: " + err.Error()}
	}
	return nil
}

// A Member is the place of a consumer. Both numbers count from 0.
type Member struct{ Group, Number int }

// A Consumer receives the messages of a group, or a share of them if the group has other members.
//
// Setup connects and subscribes. It returns nil only when the subscription is active, so that no
// later message is missed. The consumers of all groups are set up before the first producer. The
// engine then sends a probe to each topic, again and again until every group has received one: like a
// duplicate, a probe may come at any time later. Teardown is that of a [Requester].
type Consumer interface {
	Setup(ctx context.Context) error
	Teardown(ctx context.Context) error
}

// A Mortal is a [Consumer] that may come and go while messages are sent: its Setup is called, and one of
// its two methods and then Teardown. It is optional.
type Mortal interface {
	Consumer
	// Depart ends the consumer in good order: what it received is passed to Reply and acknowledged, as by
	// a program that is shut down. It returns soon after ctx is done.
	Depart(ctx context.Context) error
	// Kill ends it as the crash of its process would: its connections end, and it tells the system
	// nothing. After Kill has returned, Reply is not called.
	Kill()
}

// A TopologyError says why a system cannot have a topology.
type TopologyError struct {
	Topology Topology
	Reason   string // one line
}

// Error implements error.
func (e *TopologyError) Error() string {
	return fmt.Sprintf("%v: %s", e.Topology, e.Reason)
}

// Arrange gives the factory a topology, which is not the zero one. The error is a [*TopologyError].
func Arrange(f Factory, t Topology) (Grouper, error) {
	g, ok := As[Grouper](f)
	if !ok {
		return nil, &TopologyError{t, "this system cannot have groups of consumers yet: each connection consumes what it publishes"}
	}
	return g, g.TakeTopology(t)
}
