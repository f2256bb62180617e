package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

var errNotSetUp = errors.New("kafka: the connection is not set up")

// Setup implements [requester.Requester]: it creates the topic, sends a probe
// through each of its partitions, and starts to receive.
func (c *conn) Setup(ctx context.Context) error {
	if err := c.create(ctx); err != nil {
		return err
	}
	live, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	client, err := kgo.NewClient(append(c.factory.measuredOpts(c.topic, c.events), kgo.WithContext(live), kgo.WithHooks(exhausted(stop)))...)
	if err != nil {
		return fmt.Errorf("kafka: making a client: %w", err)
	}
	c.client = client
	ctx, cancel = context.WithTimeout(ctx, adminLimit)
	defer cancel()
	if err := c.probe(ctx); err != nil {
		return c.factory.explain("probing topic "+c.topic, cmp.Or(c.events.dialError(), target.Because(ctx, err)))
	}
	c.start()
	return nil
}

// create creates the topic. When ctx ends, it returns and the request goes on: a
// request that is given up on may make the topic after Teardown has deleted it.
func (c *conn) create(ctx context.Context) error {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.creating, c.giveUp = make(chan struct{}), cancel
	var err error
	go func() {
		defer close(c.creating)
		err = c.factory.admin(own, adminLimit, c.makeTopic)
	}()
	select {
	case <-c.creating:
		return err
	case <-ctx.Done():
		return c.factory.explain("creating topic "+c.topic, context.Cause(ctx))
	}
}

func (c *conn) makeTopic(ctx context.Context, admin *kadm.Client) error {
	c.mayHaveTopic(true) // the broker may have created it in spite of an error
	err := c.factory.createTopic(ctx, admin, c.topic)
	if errors.Is(err, kerr.TopicAlreadyExists) {
		c.mayHaveTopic(false) // it belongs to another run
	}
	return err
}

func (c *conn) mayHaveTopic(may bool) {
	c.created = may
	c.left.Store(may)
	if may {
		c.factory.made.Add(c.topic)
	} else {
		c.factory.made.Remove(c.topic)
	}
}

// Left implements [requester.Leaver].
func (c *conn) Left() []string {
	if !c.left.Load() {
		return nil
	}
	return []string{"topic " + c.topic}
}

// probe sends a message through each partition and waits for all of them. When ctx
// ends, it cancels the client, which would keep trying otherwise.
func (c *conn) probe(ctx context.Context) error {
	defer context.AfterFunc(ctx, c.cancel)()
	records := c.probes()
	if err := c.client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return err
	}
	missing := make(map[int32]bool, len(records))
	for _, r := range records {
		missing[r.Partition] = true
	}
	for len(missing) > 0 {
		fetches := c.client.PollFetches(ctx)
		if err := cmp.Or(ctx.Err(), fetches.Err0()); err != nil {
			return err
		}
		fetches.EachRecord(func(r *kgo.Record) { delete(missing, r.Partition) })
	}
	return nil
}

// probes returns a message for each partition.
func (c *conn) probes() []*kgo.Record {
	records := make([]*kgo.Record, c.factory.options.partitions)
	for p := range records {
		records[p] = &kgo.Record{Topic: c.topic, Partition: int32(p), Key: []byte(probeKey), Value: []byte(c.topic)}
	}
	return records
}

// start begins to receive, and to pass on failures.
func (c *conn) start() {
	ctx, cancel := context.WithCancel(context.Background())
	c.stop = cancel
	c.events.Begin()
	c.served.Go(func() { c.receive(ctx) })
	c.served.Go(func() { c.failures.serve(ctx.Done()) })
}

// Teardown implements [requester.Requester]: it closes the client, and deletes the
// topic over a new connection, since the measured one may be gone.
func (c *conn) Teardown(ctx context.Context) error {
	c.events.End()
	c.budget.close()
	if c.stop != nil {
		c.stop()
	}
	c.close()
	c.served.Wait()
	c.awaitCreation()
	if !c.created {
		return nil
	}
	c.created = false
	c.factory.made.Remove(c.topic)
	err := c.factory.leave(ctx, c.topic)
	c.left.Store(err != nil)
	return err
}

// awaitCreation waits a moment for the end of the topic's creation, and ends it then.
func (c *conn) awaitCreation() {
	if c.creating == nil {
		return
	}
	defer time.AfterFunc(c.factory.patience(leaveLimit), c.giveUp).Stop()
	<-c.creating
	c.giveUp()
}

// close closes the client. A broker that says nothing would hold that up: after a
// moment the client's context ends it.
func (c *conn) close() {
	if c.cancel == nil {
		return
	}
	defer c.cancel()
	defer time.AfterFunc(c.factory.patience(closeLimit), c.cancel).Stop()
	if c.client != nil {
		c.client.Close()
	}
}

// leave deletes the topic of a connection that ends. If this process may open no more
// files, it tries again: others are being closed.
func (f *Factory) leave(ctx context.Context, topic string) error {
	ctx, cancel := context.WithTimeout(ctx, adminLimit)
	defer cancel()
	reached := false
	var err error
	_ = poll(ctx, func() (bool, error) {
		err = f.admin(ctx, f.patience(leaveLimit), func(ctx context.Context, admin *kadm.Client) error {
			reached = true
			return f.deleteTopic(ctx, admin, topic)
		})
		return !noFiles(err), nil
	})
	f.away.Store(!reached)
	return err
}

// patience returns how long a connection that ends waits for the broker: not for
// long, if it was not there for another one. Thousands of them would add up.
func (f *Factory) patience(limit time.Duration) time.Duration {
	if f.away.Load() {
		return hastyLimit
	}
	return limit
}
