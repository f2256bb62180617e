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
	p, err := c.connect(ctx)
	if err != nil {
		return err
	}
	if p != nil {
		c.sender.Store(p)
		c.Go(func() { c.publish(p) })
	}
	switch {
	case c.factory.master != "":
		c.Go(c.follow)
	case c.factory.options.clustered:
		c.Go(c.followSlots)
	}
	c.ready = true
	c.outages.Begin()
	return nil
}

// connect connects what the connection has of publisher and receiver. If it has both, it waits for a probe.
func (c *conn) connect(ctx context.Context) (p *publisher, err error) {
	switch stores := c.factory.options.stores(); {
	case c.sendsTo == "":
		return nil, c.join(ctx)
	case stores && c.receives == nil:
		p, err = c.connectPublisher(ctx, c.create)
		return p, c.factory.Explain("creating stream "+c.channel, err)
	case stores:
		return c.connectStream(ctx)
	case c.receives == nil:
		p, err = c.connectPublisher(ctx, c.askLimits)
		return p, c.factory.Explain("connecting", err)
	}
	return c.connectChannel(ctx)
}

// connectChannel subscribes, connects the publisher, and waits for the probe.
func (c *conn) connectChannel(ctx context.Context) (*publisher, error) {
	if err := c.subscribe(ctx); err != nil {
		return nil, err
	}
	p, err := c.connectPublisher(ctx, c.proveChannel)
	return p, c.factory.Explain("probing "+c.channel, err)
}

// subscribe subscribes to the channels.
func (c *conn) subscribe(ctx context.Context) error {
	c.client = redis.NewClient(c.factory.clientOptions(c.down.dial))
	subscribe := c.client.Subscribe
	if c.factory.options.clustered {
		subscribe = c.client.SSubscribe
	}
	receiver := subscribe(ctx, c.receives...)
	for _, channel := range c.receives { // each has a confirmation
		if _, err := receiver.Receive(ctx); err != nil {
			_ = receiver.Close()
			return c.factory.Explain("subscribing to "+channel, c.down.because(ctx, err))
		}
	}
	c.down.Settled()
	c.receiver = receiver
	c.Go(c.receive)
	return nil
}

// askLimits asks for the limits of the server.
func (c *conn) askLimits(ctx context.Context, client *redis.Client) error {
	c.limits = readLimits(ctx, client)
	return nil
}

// proveChannel publishes a probe over the connection that will carry the messages, and waits
// for it. It also asks for the server's limits.
func (c *conn) proveChannel(ctx context.Context, client *redis.Client) error {
	c.limits = readLimits(ctx, client)
	disconnections, _ := readDisconnections(ctx, client)
	c.slow.Store(disconnections)
	publish := client.Publish
	if c.factory.options.clustered {
		publish = client.SPublish
	}
	subscribers, err := publish(ctx, c.channel, probe).Result()
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
		for _, s := range c.streams {
			if err := c.addProbe(ctx, client, s.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// receive passes on replies until Teardown. After an error, go-redis connects and subscribes
// again at the next Receive. PubSub.Channel would drop a message that has not fitted into its
// channel for a minute.
func (c *conn) receive() {
	defer close(c.ended)
	for {
		received, err := c.receiver.Receive(c.alive)
		if s, ok := received.(*redis.Subscription); c.Muted() || c.leaving.Load() && (err != nil || ok && s.Count == 0) {
			return
		}
		switch m := received.(type) {
		case *redis.Message:
			c.deliver("", m.Payload)
		case *redis.Subscription:
			if m.Kind == "sunsubscribe" { // the server has the slot no longer
				c.down.leave("another server")
				continue
			}
			c.down.Settled()
			if c.back(subscriberSocket) {
				c.Go(c.askWhy)
			}
		default:
			if c.isMoved(err) { // else go-redis would wait at this server
				c.down.leave("another server")
			}
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
