package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/target"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

var errNotSetUp = errors.New("kafka: the connection is not set up")

// Setup implements [requester.Requester]: it creates the topic, sends a probe
// through each of its partitions, and starts to receive.
func (c *conn) Setup(ctx context.Context) error {
	if err := c.factory.admin(ctx, func(admin *kadm.Client) error { return c.makeTopic(ctx, admin) }); err != nil {
		return err
	}
	live, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	client, err := kgo.NewClient(append(c.factory.measuredOpts(c.topic, c.events), kgo.WithContext(live))...)
	if err != nil {
		return fmt.Errorf("kafka: making a client: %w", err)
	}
	c.client = client
	if err := c.probe(ctx); err != nil {
		return c.factory.explain("probing topic "+c.topic, target.Because(ctx, err))
	}
	c.start()
	return nil
}

func (c *conn) makeTopic(ctx context.Context, admin *kadm.Client) error {
	c.created = true // the broker may have created it in spite of an error
	err := c.factory.createTopic(ctx, admin, c.topic)
	if errors.Is(err, kerr.TopicAlreadyExists) {
		c.created = false // it belongs to another run
	}
	return err
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
	if c.client != nil {
		c.client.Close()
	}
	if c.cancel != nil {
		c.cancel()
	}
	c.served.Wait()
	if !c.created {
		return nil
	}
	c.created = false
	return c.factory.admin(ctx, func(admin *kadm.Client) error { return c.factory.deleteTopic(ctx, admin, c.topic) })
}
