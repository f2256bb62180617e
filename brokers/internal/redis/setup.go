package redis

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// probe is shorter than a request.
const probe = "probe"

// Setup implements [requester.Requester]. It sends a probe to itself as requests will be sent.
func (c *conn) Setup(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return c.factory.Explain("connecting", err)
	}
	defer context.AfterFunc(ctx, func() { c.up.close(); c.down.close() })()
	connect := c.connectChannel
	if c.factory.options.stores() {
		connect = c.connectStream
	}
	p, err := connect(ctx)
	if err != nil {
		return err
	}
	c.sender.Store(p)
	c.Go(func() { c.publish(p) })
	if c.factory.master != "" {
		c.Go(c.follow)
	}
	c.ready = true
	c.outages.Begin()
	return nil
}

// connectChannel subscribes, connects the publisher, and waits for the probe.
func (c *conn) connectChannel(ctx context.Context) (*publisher, error) {
	c.client = redis.NewClient(c.factory.clientOptions(c.down.dial))
	receiver := c.client.Subscribe(ctx, c.channel)
	if _, err := receiver.Receive(ctx); err != nil { // the confirmation
		_ = receiver.Close()
		return nil, c.factory.Explain("subscribing to "+c.channel, c.down.because(ctx, err))
	}
	c.down.Settled()
	c.receiver = receiver
	c.Go(c.receive)
	p, err := c.connectPublisher(ctx, c.proveChannel)
	return p, c.factory.Explain("probing "+c.channel, err)
}

// proveChannel publishes a probe over the connection that will carry the messages, and waits
// for it. It also asks for the server's limits.
func (c *conn) proveChannel(ctx context.Context, client *redis.Client) error {
	c.limits = readLimits(ctx, client)
	disconnections, _ := readDisconnections(ctx, client)
	c.slow.Store(disconnections)
	subscribers, err := client.Publish(ctx, c.channel, probe).Result()
	if err != nil {
		return err
	}
	if subscribers == 0 {
		return errNoSubscriber
	}
	return c.awaitProbe(ctx)
}

// awaitProbe waits until the probe is back.
func (c *conn) awaitProbe(ctx context.Context) error {
	select {
	case <-c.Probed:
		return nil
	case err := <-c.Lost():
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// renew prepares a publisher that replaces another.
func (c *conn) renew(ctx context.Context, client *redis.Client) error {
	if c.factory.options.stores() {
		return c.addProbe(ctx, client)
	}
	return nil
}

// receive passes on replies until Teardown. After an error, go-redis connects and subscribes
// again at the next Receive. PubSub.Channel would drop a message that has not fitted into its
// channel for a minute.
func (c *conn) receive() {
	for {
		received, err := c.receiver.Receive(c.alive)
		if c.Muted() {
			return
		}
		switch m := received.(type) {
		case *redis.Message:
			c.deliver(m.Payload)
		case *redis.Subscription:
			c.down.Settled()
			if c.back(subscriberSocket) {
				c.Go(c.askWhy)
			}
		default:
			c.Lose(err)
			c.lost(subscriberSocket, c.down.because(c.alive, err))
			c.pause()
		}
	}
}

// askWhy notes whether the server disconnected the subscriber alone because it was too slow.
func (c *conn) askWhy() {
	err := c.factory.with(c.alive, "asking for INFO", func(client *redis.Client) error {
		disconnections, known := readDisconnections(c.alive, client)
		if more := disconnections - c.slow.Swap(disconnections); more > 0 {
			c.outages.Note("the server has disconnected %d slow clients by client-output-buffer-limit: the messages that waited for them are lost", more)
		} else if !known {
			c.outages.Note("the subscriber alone was disconnected, as client-output-buffer-limit does to a slow one; this server does not say")
		}
		return nil
	})
	if err != nil && !c.Muted() {
		c.outages.Note("asking why the subscriber was disconnected: %v", err)
	}
}
