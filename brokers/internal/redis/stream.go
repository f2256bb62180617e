package redis

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/redis/go-redis/v9"
)

// The words of an entry. The consumer group has one consumer.
const (
	field = "m" // the name of its one field
	group = "brokerbench"
)

// The places where a read begins: at the first message (of a group: at the first that was not
// acknowledged), and at those that the group has not delivered yet.
const (
	fromFirst = "0"
	fromNew   = ">"
)

// errExists is why a stream is not touched: it may be in use.
var errExists = errors.New("a key of that name is there already")

// connectStream creates the stream with a probe in it, reads from it, and waits for the probe.
func (c *conn) connectStream(ctx context.Context) (*publisher, error) {
	p, err := c.connectPublisher(ctx, c.create)
	if err != nil {
		return nil, c.factory.Explain("creating stream "+c.channel, err)
	}
	client, err := c.connectConsumer(ctx)
	if err == nil {
		c.Go(func() { c.consume(client) })
		err = c.down.because(ctx, c.awaitProbe(ctx))
	}
	if err != nil {
		_ = p.client.Close()
	}
	return p, c.factory.Explain("reading from stream "+c.channel, err)
}

// create creates the stream, and proves that messages can be added as they will be.
func (c *conn) create(ctx context.Context, client *redis.Client) error {
	c.limits = limits{bulk: readLimits(ctx, client).bulk}
	if n, err := client.Exists(ctx, c.channel).Result(); err != nil || n > 0 {
		return cmp.Or(err, errExists)
	}
	c.Set(true)
	if err := c.addProbe(ctx, client); err != nil {
		var refused redis.Error
		c.Set(!errors.As(err, &refused))
		return err
	}
	if err := client.XAdd(ctx, &redis.XAddArgs{Stream: c.channel, NoMkStream: true, Values: []any{field, probe}}).Err(); err != nil {
		return err
	}
	words := c.factory.options.waitCommand()
	if words == nil {
		return nil
	}
	return c.factory.options.waited(client.WithTimeout(0).Do(ctx, words...))
}

// addProbe adds a probe, and so creates the stream if there is none: a server without a file
// has lost it when it is started again.
func (c *conn) addProbe(ctx context.Context, client *redis.Client) error {
	return client.XAdd(ctx, &redis.XAddArgs{Stream: c.channel, Values: []any{field, probe}}).Err()
}

func (c *conn) connectConsumer(ctx context.Context) (*redis.Client, error) {
	return c.factory.connect(ctx, c.down, func(client *redis.Client) error { return c.createGroup(ctx, client) })
}

// createGroup creates the consumer group, if one is wanted and there is none, and with it the
// stream: a server without a file has lost both when it is started again.
func (c *conn) createGroup(ctx context.Context, client *redis.Client) error {
	if c.factory.options.stream != streamGroup {
		return nil
	}
	err := client.XGroupCreateMkStream(ctx, c.channel, group, fromFirst).Err()
	if err != nil && strings.HasPrefix(err.Error(), "BUSYGROUP") {
		return nil
	}
	return err
}

// consume reads the stream, and connects again whenever the connection ends, until Teardown.
// A group delivers again what it has delivered and was not acknowledged.
func (c *conn) consume(client *redis.Client) {
	from, read := fromFirst, c.read
	if c.factory.options.stream == streamGroup {
		read = c.readGroup
	}
	for ok := true; ok; {
		err := c.down.because(c.alive, read(client, &from))
		_ = client.Close()
		c.Lose(err)
		client, ok = reconnect(c, consumerSocket, err, func() (*redis.Client, error) { return c.connectConsumer(c.alive) })
	}
}

// read reads from after the message with the ID from, which it advances, until the connection
// ends, and returns why it ended.
func (c *conn) read(client *redis.Client, from *string) error {
	for {
		streams, err := client.XRead(c.alive, &redis.XReadArgs{Streams: []string{c.channel, *from}, Count: c.readCount()}).Result()
		if err != nil {
			return err
		}
		for _, message := range entries(streams) {
			c.deliver(payload(message))
			*from = message.ID
		}
	}
}

// readGroup reads as the consumer of the group until the connection ends, and returns why it
// ended. It acknowledges what one read returned together with the next read.
func (c *conn) readGroup(client *redis.Client, _ *string) error {
	from, done, pipe := fromFirst, []string(nil), client.Pipeline()
	for {
		if len(done) > 0 {
			pipe.XAck(c.alive, c.channel, group, done...)
		}
		read := pipe.XReadGroup(c.alive, &redis.XReadGroupArgs{Group: group, Consumer: group, Streams: []string{c.channel, from}, Count: c.readCount()})
		if _, err := pipe.Exec(c.alive); err != nil {
			return err
		}
		done = done[:0]
		for _, message := range entries(read.Val()) {
			c.deliver(payload(message))
			done = append(done, message.ID)
		}
		if len(done) == 0 {
			from = fromNew
		}
	}
}

func (c *conn) readCount() int64 { return int64(c.factory.options.readCount) }

// entries returns what a read of one stream returned.
func entries(streams []redis.XStream) []redis.XMessage {
	if len(streams) == 0 {
		return nil
	}
	return streams[0].Messages
}

// payload returns the payload of an entry; "" of one that was removed meanwhile.
func payload(entry redis.XMessage) string {
	text, _ := entry.Values[field].(string)
	return text
}
