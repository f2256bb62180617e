package redis

import (
	"context"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/redis/go-redis/v9"
)

// probe is shorter than a request.
const probe = "probe"

// Setup implements [requester.Requester]: it subscribes, connects to publish, and
// sends itself a probe.
func (c *conn) Setup(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return c.factory.explain("connecting", err)
	}
	defer context.AfterFunc(ctx, func() { c.up.close(); c.down.close() })()
	c.client = c.factory.client(c.down.dial)
	receiver := c.client.Subscribe(ctx, c.channel)
	if _, err := receiver.Receive(ctx); err != nil { // the confirmation
		_ = receiver.Close()
		return c.factory.explain("subscribing to "+c.channel, target.Because(ctx, err, c.down.dialError(), c.down.refused()))
	}
	c.down.settled()
	c.receiver = receiver
	c.served.Go(c.receive)
	p, err := c.connectPublisher(ctx, func(held *redis.Conn) error { return c.prove(ctx, held) })
	if err != nil {
		return c.factory.explain("probing "+c.channel, target.Because(ctx, err))
	}
	c.begin(p)
	return nil
}

// begin makes the connection one that carries messages.
func (c *conn) begin(p *publisher) {
	c.sender.Store(p)
	c.served.Go(func() { c.publish(p) })
	if c.factory.master != "" {
		c.served.Go(c.follow)
	}
	c.ready = true
	c.outages.Begin()
}

// prove has go-redis publish a probe over the connection that will carry the
// messages, and waits for it. It also asks for the server's limits.
func (c *conn) prove(ctx context.Context, held *redis.Conn) error {
	c.limits = readLimits(ctx, held)
	disconnections, _ := readDisconnections(ctx, held)
	c.slow.Store(disconnections)
	receivers, err := held.Publish(ctx, c.channel, probe).Result()
	if err != nil {
		return err
	}
	if receivers == 0 {
		return errNobody
	}
	return c.awaitProbe(ctx)
}

// awaitProbe waits until the probe is back.
func (c *conn) awaitProbe(ctx context.Context) error {
	select {
	case err := <-c.probed:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Teardown implements [requester.Requester]: it closes both sockets, which also
// ends the subscription, and waits for the last reply.
func (c *conn) Teardown(ctx context.Context) error {
	c.hangUp()
	if c.client == nil {
		return nil
	}
	if c.receiver != nil {
		_ = c.receiver.Close()
	}
	_ = c.client.Close()
	return c.awaitEnd(ctx)
}

// hangUp closes both sockets for good.
func (c *conn) hangUp() {
	c.closing.Store(true)
	c.outages.End()
	c.cancel()
	c.up.close()
	c.down.close()
}

// awaitEnd waits for the last reply.
func (c *conn) awaitEnd(ctx context.Context) error {
	ended := make(chan struct{})
	go func() { c.served.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return c.factory.explain("tearing down "+c.channel, fmt.Errorf("the handler of the last reply is still running: %w", ctx.Err()))
	}
}
