package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

var errNotSetUp = errors.New("brokers/kafka: the connection is not set up")

// Setup implements [requester.Requester]: it creates the topic, sends a probe
// through each of its partitions, and starts to receive.
func (c *conn) Setup(ctx context.Context) error {
	c.created = true // even an error may come after the broker has done it
	if err := c.factory.createTopic(ctx, c.topic); err != nil {
		c.created = !errors.Is(err, kerr.TopicAlreadyExists) // else it is another's
		return err
	}
	client, err := kgo.NewClient(c.factory.measuredOpts(c.topic, c.watch)...)
	if err != nil {
		return fmt.Errorf("brokers/kafka: making a client: %w", err)
	}
	c.client = client
	if err := c.probe(ctx); err != nil {
		return c.factory.explain("probing topic "+c.topic, err)
	}
	c.start()
	return nil
}

// probe sends a message through each partition and waits for all of them.
func (c *conn) probe(ctx context.Context) error {
	for p := range int32(c.factory.options.partitions) { //nolint:gosec // checked
		record := &kgo.Record{Topic: c.topic, Partition: p, Key: []byte(probeKey), Value: []byte(c.topic)}
		if err := c.client.ProduceSync(ctx, record).FirstErr(); err != nil {
			return err
		}
	}
	missing := make(map[int32]bool, c.factory.options.partitions)
	for p := range int32(c.factory.options.partitions) { //nolint:gosec // checked
		missing[p] = true
	}
	for len(missing) > 0 {
		fetches := c.client.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			return err
		}
		fetches.EachRecord(func(r *kgo.Record) { delete(missing, r.Partition) })
	}
	return nil
}

// start begins to receive, and to pass on failures.
func (c *conn) start() {
	ctx, cancel := context.WithCancel(context.Background())
	c.stop = cancel
	c.served.Go(func() { c.receive(ctx) })
	c.served.Go(func() { c.failures.serve(ctx.Done()) })
	c.watch.begin()
}

// Teardown implements [requester.Requester]: it closes the client, and deletes
// the topic over a connection of its own.
func (c *conn) Teardown(ctx context.Context) error {
	c.watch.end()
	c.budget.close()
	if c.stop != nil {
		c.stop()
	}
	if c.client != nil {
		c.client.Close()
	}
	c.served.Wait()
	if !c.created {
		return nil
	}
	c.created = false
	return c.factory.deleteTopic(ctx, c.topic)
}
