package redis

import (
	"context"
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

// TakeTopology implements [requester.Grouper]. A topic is a channel, of which each subscriber is a group, or a
// stream, which has a consumer group for each group.
func (f *Factory) TakeTopology(t requester.Topology) error {
	refuse := func(reason string) error { return &requester.TopologyError{Topology: t, Reason: reason} }
	switch {
	case !f.options.stores() && t.Members > 1:
		return refuse("each subscriber of a channel gets all messages, so that a group has one member: use --members 1, or streams with the option stream=group")
	case f.options.stream == streamRead:
		return refuse("the members of a group share a consumer group of the stream: use the option stream=group")
	case f.topology.Own():
		for topic := range t.Topics {
			f.add(topic)
		}
	}
	f.topology = t
	return nil
}

// Keeps implements [requester.Keeper]: a stream keeps everything, and its consumer group where the group is.
func (f *Factory) Keeps() error {
	switch {
	case !f.options.stores():
		return errors.New("channels keep none: add the option stream=group")
	case f.options.maxLen > 0:
		return errors.New("max-len trims the stream: leave out the option")
	}
	return nil
}

// NewConsumer implements [requester.Grouper].
func (f *Factory) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	c := newConn(f, sink, f.all.All()...)
	c.sendsTo, c.group, c.consumer = "", fmt.Sprintf("g%d", m.Group), fmt.Sprintf("m%d", m.Number)
	for _, s := range c.streams {
		c.receives = append(c.receives, s.Name)
	}
	return c, nil
}

// join begins to receive as a member of a group.
func (c *conn) join(ctx context.Context) error {
	if !c.factory.options.stores() {
		if err := c.subscribe(ctx); err != nil {
			return err
		}
		return c.factory.with(ctx, "asking for INFO", func(client *redis.Client) error {
			disconnections, _ := readDisconnections(ctx, client)
			c.slow.Store(disconnections)
			return nil
		})
	}
	client, err := c.factory.connect(ctx, c.down, func(client *redis.Client) error {
		if err := c.createStreams(ctx, client); err != nil {
			return err
		}
		return c.createGroup(ctx, client)
	})
	if err != nil {
		return c.factory.Explain("creating group "+c.group+" of the streams", err)
	}
	c.Go(func() { c.consume(client) })
	return nil
}
