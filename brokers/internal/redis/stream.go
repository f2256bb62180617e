package redis

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

const (
	field = "m"           // the name of the field of an entry that has the message
	group = "brokerbench" // of the one consumer of a stream that belongs to a connection, and its name
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
	c.share = c.factory.options.retention.Share(len(c.factory.all.All()))
	if err := c.createStreams(ctx, client); err != nil {
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

// createStreams creates each of the streams that no other connection has created.
func (c *conn) createStreams(ctx context.Context, client *redis.Client) error {
	for _, s := range c.streams {
		err := c.Use(s, func() error {
			if n, err := client.Exists(ctx, s.Name).Result(); err != nil || n > 0 {
				return cmp.Or(err, errExists)
			}
			s.Set(true)
			err := c.addProbe(ctx, client, s.Name)
			var refused redis.Error
			s.Set(!errors.As(err, &refused))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// addProbe adds a probe, and so creates the stream if there is none: a server without a file
// has lost it when it is started again.
func (c *conn) addProbe(ctx context.Context, client *redis.Client, stream string) error {
	return client.XAdd(ctx, &redis.XAddArgs{Stream: stream, Values: []any{field, probe}}).Err()
}

func (c *conn) connectConsumer(ctx context.Context) (*redis.Client, error) {
	return c.factory.connect(ctx, c.down, func(client *redis.Client) error { return c.createGroup(ctx, client) })
}

// createGroup creates the consumer group of each stream, if one is wanted and there is none, and with it
// the stream: a server without a file has lost both when it is started again.
func (c *conn) createGroup(ctx context.Context, client *redis.Client) error {
	if c.factory.options.stream != streamGroup {
		return nil
	}
	for _, stream := range c.receives {
		err := client.XGroupCreateMkStream(ctx, stream, c.group, fromFirst).Err()
		if err != nil && !strings.HasPrefix(err.Error(), "BUSYGROUP") {
			return err
		}
	}
	return nil
}

// consume reads the stream, and connects again whenever the connection ends, until Teardown.
// A group delivers again what it has delivered and was not acknowledged.
func (c *conn) consume(client *redis.Client) {
	defer close(c.ended)
	from, read := fromFirst, c.read
	if c.factory.options.stream == streamGroup {
		read = c.readGroup
	}
	for ok := true; ok; {
		err := c.down.because(c.alive, read(client, &from))
		_ = client.Close()
		if c.leaving.Load() {
			return
		}
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
		for _, stream := range streams { // of which there is one
			for _, message := range stream.Messages {
				c.deliver(content(message))
				*from = message.ID
			}
		}
	}
}

// readGroup reads as a consumer of the group until the connection ends, and returns why it
// ended; nil if the consumer leaves. It acknowledges what one read returned together with the next read.
func (c *conn) readGroup(client *redis.Client, _ *string) error {
	from, pipe, others := c.places(fromFirst), client.Pipeline(), c.newClaim()
	for !c.leaving.Load() {
		read := pipe.XReadGroup(c.alive, &redis.XReadGroupArgs{Group: c.group, Consumer: c.consumer, Streams: from, Count: c.readCount(), Block: c.block()})
		if _, err := pipe.Exec(c.alive); err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		more := false
		for _, stream := range read.Val() {
			c.take(pipe, stream.Stream, stream.Messages)
			more = more || len(stream.Messages) > 0
		}
		if !more {
			from = c.places(fromNew)
		}
		if err := others.claim(pipe); err != nil {
			return err
		}
	}
	_, err := pipe.Exec(c.alive)
	return err
}

// take passes on messages, and has the pipeline acknowledge them.
func (c *conn) take(pipe redis.Pipeliner, stream string, messages []redis.XMessage) {
	c.done = c.done[:0]
	if !c.factory.keys.None() && c.Sink.From != nil {
		c.Sink.From(target.Number(stream)) // of all that are passed on here
	}
	for _, message := range messages {
		if c.deliver(content(message)) {
			c.done = append(c.done, message.ID)
		}
	}
	if len(c.done) > 0 {
		pipe.XAck(c.alive, stream, c.group, c.done...)
	}
}

// places returns the streams, and for each the place where a read begins.
func (c *conn) places(from string) []string {
	return append(slices.Clone(c.receives), slices.Repeat([]string{from}, len(c.receives))...)
}

func (c *conn) readCount() int64 { return int64(c.factory.options.readCount) }

// content returns the message of an entry, "" of one that was removed meanwhile, and the stamp if that is
// another field.
func content(entry redis.XMessage) (stamp, message string) {
	message, _ = entry.Values[field].(string)
	stamp, _ = entry.Values[requester.StampHeader].(string)
	return stamp, message
}

// fields returns the fields of the entry of a payload.
func (f *Factory) fields(payload []byte) []any {
	if f.headers.None() {
		return []any{field, payload}
	}
	stamp, message := f.headers.Split(payload)
	values := append(make([]any, 0, 4+2*len(f.headers.Fixed)), field, message)
	if stamp != "" {
		values = append(values, requester.StampHeader, stamp)
	}
	for _, one := range f.headers.Fixed {
		values = append(values, one.Name, one.Value)
	}
	return values
}

// TakeHeaders implements [requester.HeaderTaker]: they are fields of the entries of a stream.
func (f *Factory) TakeHeaders(h requester.Headers) error {
	if !f.options.stores() {
		return errors.New("messages of channels have no headers: use the option stream=read or stream=group")
	}
	f.headers = h
	return nil
}
