package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

var errNotSetUp = errors.New("kafka: the connection is not set up")

// Setup implements [requester.Requester]: it creates the topic, sends a probe
// through each of its partitions, and starts to receive.
func (c *conn) Setup(ctx context.Context) error {
	if !c.factory.shared.topology.Own() {
		return c.join(ctx)
	}
	if err := c.create(ctx); err != nil {
		return err
	}
	return c.connect(ctx, c.factory.measuredOpts(c.topic), c.probe)
}

// connect makes the client, sends a probe and starts. Receivers are sure to have subscribed then.
func (c *conn) connect(ctx context.Context, opts []kgo.Opt, probe func(context.Context) error) error {
	live, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	client, err := kgo.NewClient(append(opts, kgo.WithContext(live), kgo.WithHooks(c.events, c.batches, exhausted(stop)))...)
	if err != nil {
		return fmt.Errorf("kafka: making a client: %w", err)
	}
	c.client = client
	if c.factory.options.transactions.on && c.group == "" {
		c.transactor = newTransactor(c, c.factory.options.transactions.open)
	}
	ctx, cancel = context.WithTimeout(ctx, c.factory.options.probeLimit())
	defer cancel()
	if err := probe(ctx); err != nil {
		return c.factory.explain("probing topic "+c.topic+", "+c.step, c.because(ctx, err))
	}
	c.start(live)
	return nil
}

// because returns why a probe did not come back.
func (c *conn) because(ctx context.Context, err error) error {
	if errors.Is(err, errNoCoordinator) {
		return cmp.Or(c.events.dialError(), err)
	}
	return cmp.Or(c.events.dialError(), target.Because(ctx, err))
}

// probeLimit returns how long the probes may take. A share group gets its first message
// after a heartbeat or two, five seconds apart; the first transaction of a cluster waits for
// the fifty partitions of its coordinator.
func (o *options) probeLimit() time.Duration {
	if o.shares() || o.transactions.on {
		return 2 * cluster.Limit
	}
	return cluster.Limit
}

// create creates the topic.
func (c *conn) create(ctx context.Context) error {
	return c.factory.explain("creating topic "+c.topic, c.creation.Run(ctx, c.ask))
}

// ask asks for the topic.
func (c *conn) ask(ctx context.Context) error { return c.factory.ask(ctx, c) }

// ask asks for the topics of connections over a new one.
func (f *Factory) ask(ctx context.Context, of ...*conn) error {
	var attempts cluster.Attempts
	return f.asking(ctx, cluster.Limit, func(ctx context.Context, client *kgo.Client) error {
		return f.makeTopics(ctx, client, &attempts, of)
	}, &attempts)
}

func (f *Factory) makeTopics(ctx context.Context, client *kgo.Client, attempts *cluster.Attempts, of []*conn) error {
	var topics []cluster.Topic
	for _, c := range of {
		c.mayHaveTopic(true) // the broker may have created it in spite of an error
		topics = append(topics, f.wanted(c.topic))
	}
	errs := cluster.CreateTopics(ctx, cluster.Admin(client), attempts, topics...)
	for i, c := range of {
		errs[i] = f.explain("creating topic "+c.topic, errs[i])
		if errors.Is(errs[i], kerr.TopicAlreadyExists) {
			c.mayHaveTopic(false) // it belongs to another run
		}
	}
	err := cmp.Or(errs...)
	for _, c := range of {
		if err == nil {
			c.doubts, err = f.readBack(ctx, cluster.Admin(client), c.topic)
			err = f.explain("asking for the settings of topic "+c.topic, err)
		}
		if err == nil && f.options.shares() && f.shared.topology.Own() {
			c.grouped.Store(true)
			err = f.explain("setting up share group "+c.topic, cluster.MakeShareGroup(ctx, client, c.topic, f.options.groupConfig(shareKind)))
		}
	}
	return err
}

func (c *conn) mayHaveTopic(may bool) {
	c.created = may
	c.left.Store(may)
}

// Left returns the topic and the share group that may still exist.
func (c *conn) Left() (names []string) {
	if c.left.Load() {
		names = append(names, topicKind+" "+c.topic)
	}
	if c.grouped.Load() {
		names = append(names, shareKind+" "+c.topic)
	}
	return names
}

// produceProbes sends a message to each partition. When ctx ends, it cancels the client, which would keep
// trying otherwise.
func (c *conn) produceProbes(ctx context.Context) error {
	defer context.AfterFunc(ctx, c.cancel)()
	var records []*kgo.Record
	for p := range int32(c.factory.options.partitions) {
		records = append(records, &kgo.Record{Topic: c.topic, Partition: p, Key: c.factory.dress.ProbeKey(p, c.factory.options.partitions), Value: []byte(c.topic)})
	}
	c.step = "producing"
	if c.transactor != nil {
		return c.transactor.probe(ctx, records)
	}
	return c.client.ProduceSync(ctx, records...).FirstErr()
}

// probe sends a message through each partition and waits for all of them.
func (c *conn) probe(ctx context.Context) error {
	if err := c.produceProbes(ctx); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, c.cancel)()
	missing := make(map[int32]bool)
	for p := range int32(c.factory.options.partitions) {
		missing[p] = true
	}
	c.step = "receiving"
	for len(missing) > 0 {
		fetches := c.client.PollFetches(ctx)
		if err := cmp.Or(ctx.Err(), fetches.Err0()); err != nil {
			return err
		}
		fetches.EachRecord(func(r *kgo.Record) { delete(missing, r.Partition) })
	}
	return nil
}

// start begins to receive, and to make transactions. live ends with the client.
func (c *conn) start(live context.Context) {
	ctx, cancel := context.WithCancel(context.Background())
	c.stop = cancel
	if c.group == "" {
		c.events.Begin()
	}
	for _, text := range c.doubts {
		c.events.Note("%s", text)
	}
	c.batches.count()
	if c.transactor != nil {
		c.transactor.ended = make(chan struct{})
		c.served.Go(func() { c.transactor.serve(ctx, live) })
	}
	if c.group != "" || c.factory.shared.topology.Own() {
		c.served.Go(func() { c.receive(ctx) })
	}
}

// Teardown implements [requester.Requester]: it closes the client, and deletes the
// topic over a new connection, since the measured one may be gone.
func (c *conn) Teardown(ctx context.Context) error {
	c.events.End()
	c.closing.Store(true)
	if c.stop != nil {
		c.stop()
	}
	c.close()
	c.served.Wait()
	if len(c.uses) > 0 {
		if c.transactor != nil {
			c.factory.shared.ended.Add(c.id)
		}
		c.factory.shared.members.Remove(c)
		return c.uses.Leave(ctx)
	}
	c.creation.End(c.factory.presence.Patience(leaveLimit))
	if !c.created {
		return nil
	}
	c.created = false
	return c.factory.leave(ctx, c.remove)
}

// close closes the client. A broker that does not answer would delay that: after a moment the
// client's context ends it.
func (c *conn) close() {
	if c.cancel == nil {
		return
	}
	defer c.cancel()
	defer time.AfterFunc(c.factory.presence.Patience(c.closeLimit()), c.cancel).Stop()
	if c.transactor != nil && c.transactor.ended != nil {
		<-c.transactor.ended // the client can end a transaction only while it is open
	}
	if c.client != nil {
		c.client.Close()
	}
}

// closeLimit returns how long the client may take to end. One that leaves a share group waits for
// the fetch that is under way, and one that leaves a consumer group commits; otherwise it stays a
// member for 45 s.
func (c *conn) closeLimit() time.Duration {
	switch o := &c.factory.options; {
	case o.shares():
		return closeLimit + o.fetchWait
	case c.group != "":
		return 2 * closeLimit
	}
	return closeLimit
}

// leave calls remove over a new connection. If this process may open no more files, it tries again:
// others are being closed.
func (f *Factory) leave(ctx context.Context, remove func(context.Context, *kgo.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, cluster.Limit)
	defer cancel()
	silent, reached := f.presence.Ask(), false
	var err error
	_ = cluster.Poll(ctx, func() (bool, error) {
		err = f.asking(ctx, f.presence.Patience(leaveLimit), func(ctx context.Context, client *kgo.Client) error {
			reached = true
			return remove(ctx, client)
		})
		return !noFiles(err), nil
	})
	if !reached {
		silent()
	}
	return err
}

// remove deletes the share group, if there is one, and the topic.
func (c *conn) remove(ctx context.Context, client *kgo.Client) error {
	var group error
	if c.grouped.Load() {
		group = c.factory.deleteGroup(ctx, client, shareKind, c.topic)
		c.grouped.Store(group != nil)
	}
	if c.transactor != nil {
		cluster.AwaitEnd(ctx, cluster.Admin(client), c.id)
	}
	topic := c.factory.explain("deleting topic "+c.topic, cluster.DeleteTopics(ctx, cluster.Admin(client), c.topic))
	c.left.Store(topic != nil || c.creation.Abandoned())
	return cmp.Or(topic, group)
}
