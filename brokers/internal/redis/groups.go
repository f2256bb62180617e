package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
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
	return f.options.retention.Keeps()
}

// NewConsumer implements [requester.Grouper].
func (f *Factory) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	if f.options.clustered {
		return f.spread(m, sink), nil
	}
	c := f.member(m, sink, f.all.All())
	if !f.keys.None() {
		for _, topic := range f.topology.Share(m.Number) {
			c.receives = append(c.receives, c.streams[topic].Name)
		}
		return requester.Settled(c), nil
	}
	for _, s := range c.streams {
		c.receives = append(c.receives, s.Name)
	}
	return c, nil
}

// member returns a member of a group that receives nothing yet.
func (f *Factory) member(m requester.Member, sink requester.Sink, streams []*leftover.Shared) *conn {
	c := newConn(f, sink, streams...)
	c.sendsTo, c.group, c.consumer = "", fmt.Sprintf("g%d", m.Group), fmt.Sprintf("m%d", m.Number)
	return c
}

// TakeKeys implements [requester.KeyTaker]. A key chooses the stream.
func (f *Factory) TakeKeys(k requester.Keys) error {
	if !f.options.stores() {
		return errors.New("messages of channels have no keys: use the option stream=group")
	}
	if f.options.clustered {
		return errors.New("a key chooses the stream, and the streams of a cluster are on several servers, to which brokerbench does not send over one connection: leave out --keys")
	}
	f.keys = k
	return requester.ChooseTopic(f.topology)
}

// streamOf returns the stream to which a payload goes.
func (c *conn) streamOf(payload []byte) string {
	if c.factory.keys.None() {
		return c.channel
	}
	return c.streams[c.factory.keys.Topic(payload, len(c.streams), c.topic)].Name
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
		if err := c.createGroup(ctx, client); err != nil {
			return err
		}
		if !c.claims() {
			return nil
		}
		return client.XAutoClaim(ctx, c.claimOf(c.receives[0], "0-0", 1000*time.Hour)).Err() // claims nothing, and shows that it can
	})
	if err != nil {
		return c.factory.Explain("creating group "+c.group+" of the streams", err)
	}
	c.Go(func() { c.consume(client) })
	return nil
}

// memberBlock is how long a read of a member waits for messages.
const memberBlock = 500 * time.Millisecond

// block returns how long a read waits for messages; 0: until some come.
func (c *conn) block() time.Duration {
	if c.factory.topology.Own() {
		return 0
	}
	return memberBlock
}

// A claim takes over messages that other members have read and not acknowledged for long.
type claim struct {
	*conn

	from []string // by stream: the ID after which it looks next
	next time.Time
}

func (c *conn) newClaim() *claim {
	return &claim{conn: c, from: slices.Repeat([]string{"0-0"}, len(c.receives))}
}

// claims reports whether the members claim messages.
func (c *conn) claims() bool {
	return c.factory.topology.Members > 1 && c.factory.options.claimIdle > 0 && c.factory.keys.None()
}

func (c *conn) claimOf(stream, from string, idle time.Duration) *redis.XAutoClaimArgs {
	return &redis.XAutoClaimArgs{Stream: stream, Group: c.group, Consumer: c.consumer, MinIdle: idle, Start: from, Count: c.readCount()}
}

// claim takes over a page of messages of each stream, if it is time for that.
func (c *claim) claim(pipe redis.Pipeliner) error {
	if !c.claims() || time.Now().Before(c.next) {
		return nil
	}
	idle := c.factory.options.claimIdle
	pages := make([]*redis.XAutoClaimCmd, len(c.receives))
	for i, stream := range c.receives {
		pages[i] = pipe.XAutoClaim(c.alive, c.claimOf(stream, c.from[i], idle))
	}
	if _, err := pipe.Exec(c.alive); err != nil {
		return err
	}
	c.next = time.Now().Add(idle / 4)
	for i, page := range pages {
		var messages []redis.XMessage
		if messages, c.from[i] = page.Val(); len(messages) > 0 {
			c.take(pipe, c.receives[i], messages)
			c.next = time.Time{} // there may be more
		}
	}
	return nil
}

// Depart implements [requester.Mortal].
func (c *conn) Depart(ctx context.Context) (err error) {
	c.outages.End()
	c.leaving.Store(true)
	if c.receiver != nil {
		leave := c.receiver.Unsubscribe
		if c.factory.options.clustered {
			leave = c.receiver.SUnsubscribe
		}
		err = leave(ctx)
	}
	select {
	case <-c.ended:
	case <-ctx.Done():
		err = ctx.Err()
	}
	return c.factory.Explain("leaving", err)
}

// Kill implements [requester.Mortal].
func (c *conn) Kill() {
	c.outages.End()
	c.down.close() // first: what is dropped must not be acknowledged
	c.Mute()
	c.Stop()
	c.Wait()
}
