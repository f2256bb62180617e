package kafka

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// An arrangement is what the producers and consumers of a topology share: its topics and groups.
type arrangement struct {
	leftover.Shared

	topology requester.Topology // zero: each connection consumes what it produces
	creation cluster.Creation
	topics   []*conn // each only holds its topic
	members  transport.Set[*conn]
	grouped  atomic.Bool           // there may be groups
	killed   atomic.Bool           // a group may have members that were killed
	ended    transport.Set[string] // the IDs of the transactions of producers that are torn down

	mu       sync.Mutex
	assigned bool // or it was tried
	err      error
}

// TakeTopology implements [requester.Grouper]. A topic is a topic, and a group is a consumer group or a
// share group. A partition has only one consumer in a consumer group.
func (f *Factory) TakeTopology(t requester.Topology) error {
	if most := t.Topics * f.options.partitions; t.Members > most && !f.options.shares() {
		return &requester.TopologyError{Topology: t, Reason: fmt.Sprintf(
			"%s of each group (counted from 0) would be idle with partitions=%d: set partitions=%d, or consumer=share",
			idle(most, t.Members-1), f.options.partitions, (t.Members+t.Topics-1)/t.Topics)}
	}
	f.shared.topology = t
	return nil
}

// idle names the members from first to last.
func idle(first, last int) string {
	switch last - first {
	case 0:
		return fmt.Sprintf("member %d", first)
	case 1:
		return fmt.Sprintf("members %d and %d", first, last)
	}
	return fmt.Sprintf("members %d to %d", first, last)
}

// Keeps implements [requester.Keeper]: topics keep everything, and the broker the offsets of a group.
func (f *Factory) Keeps() error { return f.options.retention.Keeps() }

// NewConsumer implements [requester.Grouper].
func (f *Factory) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	c := newConn(f, 0, sink)
	c.group = target.Name(f.Run, m.Group)
	return c, nil
}

// memberOpts are for a member of a group. A group begins with the first message of each topic.
func (f *Factory) memberOpts(group string) []kgo.Opt {
	o := &f.options
	var topics []string
	for topic := range f.shared.topology.Topics {
		topics = append(topics, f.topic(topic))
	}
	opts := append(append(f.trusting(), o.fetches()...), kgo.ConsumeTopics(topics...))
	if o.shares() {
		return append(opts, kgo.ShareGroup(group))
	}
	opts = append(opts, kgo.ConsumerGroup(group), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(isolation(o.isolation == readCommitted)))
	if o.protocol == cluster.Consumer {
		opts = append(opts, kgo.ServerSideBalancer(), kgo.Balancers(kgo.StickyBalancer()))
	}
	return opts
}

// join sets up a producer, or a member of a group.
func (c *conn) join(ctx context.Context) error {
	if err := c.factory.arrange(ctx, c); err != nil {
		return err
	}
	if c.group == "" {
		return c.connect(ctx, c.factory.producerOpts(c.id), c.produceProbes)
	}
	opts := c.factory.memberOpts(c.group)
	if !c.factory.options.shares() { // of which franz-go reports nothing
		opts = append(opts, kgo.OnPartitionsAssigned(c.rebalanced))
	}
	return c.connect(ctx, opts, func(context.Context) error { return nil })
}

// Depart implements [requester.Mortal]: offsets are committed, or the messages accepted, and Teardown leaves.
func (c *conn) Depart(ctx context.Context) error {
	c.stop()
	c.served.Wait()
	if c.factory.options.shares() {
		c.client.MarkAcks(kgo.AckAccept)
		return nil
	}
	return c.factory.explain("committing the offsets of "+c.group, c.client.CommitUncommittedOffsets(ctx))
}

// Kill implements [requester.Mortal]: the client's work is cancelled after its sockets are closed.
func (c *conn) Kill() {
	c.closing.Store(true)
	c.events.End()
	c.events.die()
	c.stop()
	c.served.Wait()
	c.cancel()
	c.factory.shared.killed.Store(true)
}

// rebalanced notes that a rebalance came to its end while messages are sent.
func (c *conn) rebalanced(_ context.Context, _ *kgo.Client, added map[string][]int32) {
	n := 0
	for _, partitions := range added {
		n += len(partitions)
	}
	c.events.Note("rebalance of %s: %d partitions more", c.group, n)
}

// arrange makes the topics for the first connection, and waits for the first producer until all groups
// are assigned. The others wait, too.
func (f *Factory) arrange(ctx context.Context, c *conn) error {
	a := &f.shared
	if err := c.uses.Use(&a.Shared, func() error { return f.explain("creating the topics", f.create(ctx)) }); err != nil {
		return err
	}
	if c.group != "" {
		a.members.Add(c)
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.assigned {
		a.assigned = true
		for _, holder := range a.topics {
			c.doubts = append(c.doubts, holder.doubts...)
		}
		a.err = f.explain("waiting until each member of the groups has partitions", f.awaitGroups(ctx))
	}
	return a.err
}

// create makes the topics.
func (f *Factory) create(ctx context.Context) error {
	a := &f.shared
	a.topics, a.assigned = nil, false
	for i := range a.topology.Topics {
		holder := newConn(f, i, requester.Replies(func([]byte) {}))
		a.topics = append(a.topics, holder)
		f.all.Add(holder)
	}
	a.Delete = func(ctx context.Context, _ string) error { return f.part(ctx) }
	a.Set(true)
	return a.creation.Run(ctx, f.makeShared)
}

// mostPartitions is how many one request creates: Kafka refuses 10,000 records of its log.
const mostPartitions = 2000

// makeShared makes the topics, and sets up the share groups. Their members make groups.
func (f *Factory) makeShared(ctx context.Context) error {
	a := &f.shared
	for some := range slices.Chunk(a.topics, max(mostPartitions/f.options.partitions, 1)) {
		if err := f.ask(ctx, some...); err != nil {
			return err
		}
	}
	a.grouped.Store(true)
	if !f.options.shares() {
		return nil
	}
	return f.asking(ctx, cluster.Limit, func(ctx context.Context, client *kgo.Client) error {
		for group := range a.topology.Groups {
			if err := cluster.MakeShareGroup(ctx, client, target.Name(f.Run, group), f.options.groupConfig(shareKind)); err != nil {
				return err
			}
		}
		return nil
	})
}

// awaitGroups waits until the broker says that each member of every group has partitions.
func (f *Factory) awaitGroups(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*cluster.Limit)
	defer cancel()
	return f.admin(ctx, func(ctx context.Context, admin *kadm.Client) error {
		for group := range f.shared.topology.Groups {
			if err := f.awaitGroup(ctx, admin, target.Name(f.Run, group)); err != nil {
				return err
			}
		}
		return nil
	})
}

// awaitGroup waits for one group, and ends early if one of its members has an error.
func (f *Factory) awaitGroup(ctx context.Context, admin *kadm.Client, group string) error {
	members := 0 // those that are there from the beginning
	for _, c := range f.shared.members.All() {
		if c.group == group {
			members++
		}
	}
	var last error
	err := cluster.Poll(ctx, func() (assigned bool, err error) {
		for _, c := range f.shared.members.All() {
			if failed := c.events.session.Load(); failed != nil {
				return false, *failed
			}
		}
		assigned, last = cluster.Assigned(ctx, admin, group, f.options.groupProtocol(), members)
		return assigned, nil
	})
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s %s: %w", f.groupKind(), group, cmp.Or(last, err))
	}
	return err
}

// part deletes the topics and groups.
func (f *Factory) part(ctx context.Context) error {
	a := &f.shared
	a.creation.End(f.presence.Patience(leaveLimit))
	if !a.grouped.Load() && !slices.ContainsFunc(a.topics, func(holder *conn) bool { return holder.created }) {
		return nil
	}
	return f.leave(ctx, f.removeShared)
}

// removeShared deletes the groups and then the topics.
func (f *Factory) removeShared(ctx context.Context, client *kgo.Client) error {
	a := &f.shared
	var errs []error
	for group := range a.topology.Groups {
		name := target.Name(f.Run, group)
		if a.killed.Load() {
			cluster.Evict(ctx, client, name, f.options.groupProtocol())
		}
		errs = append(errs, f.deleteGroup(ctx, client, f.groupKind(), name))
	}
	a.grouped.Store(cmp.Or(errs...) != nil)
	for _, id := range a.ended.All() {
		cluster.AwaitEnd(ctx, cluster.Admin(client), id)
	}
	var topics []string
	for _, holder := range a.topics {
		if holder.created {
			topics = append(topics, holder.topic)
		}
	}
	err := f.explain("deleting the topics", cluster.DeleteTopics(ctx, cluster.Admin(client), topics...))
	for _, holder := range a.topics {
		if holder.created {
			holder.left.Store(err != nil || a.creation.Abandoned())
		}
	}
	return cmp.Or(append(errs, err)...)
}

func (f *Factory) deleteGroup(ctx context.Context, client *kgo.Client, kind, name string) error {
	return f.explain("deleting "+kind+" "+name, cluster.DeleteGroup(ctx, client, name, f.options.groupConfig(kind)))
}

// groupKind returns the kind of the groups as a leftover.
func (f *Factory) groupKind() string {
	if f.options.shares() {
		return shareKind
	}
	return consumerKind
}
