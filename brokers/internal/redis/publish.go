package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

// A replyError is a failure that a reply reports. Like the server's own errors, which are a
// [redis.Error] as well, it does not end the connection.
type replyError string

// Error implements error.
func (e replyError) Error() string { return string(e) }

// RedisError implements [redis.Error].
func (replyError) RedisError() {}

const (
	errNoSubscriber = replyError("the channel had no subscriber")
	errGone         = replyError("the stream is gone") // XADD with NOMKSTREAM creates no stream
	errReplicas     = replyError("too few replicas have it")
	errNoFsync      = replyError("it is not on disk where it should be")
)

// A publisher sends the messages that Request has queued.
type publisher struct {
	client *redis.Client
	queue  *transport.SendQueue
	again  [][]byte // messages that another server has to have, which come first
}

// The most messages and bytes of one pipeline.
const (
	pipelineMessages = 1000
	pipelineBytes    = 1 << 20
)

// publish sends messages, and connects again whenever the connection ends, until Teardown. Messages wait for the
// server to which one was moved, unless it cannot be reached, or takes longer than dial-timeout: then they fail.
func (c *conn) publish(p *publisher) {
	for {
		err := c.send(p)
		moved, since := c.isMoved(err), time.Now()
		_ = p.client.Close()
		if !moved {
			c.drop(p, errDisconnected)
		}
		next, ok := reconnect(c, publisherSocket, c.up.because(c.alive, err), func() (*publisher, error) {
			next, err := c.connectPublisher(c.alive, c.renew)
			if moved && err != nil && (!unsettled(err) || time.Since(since) > c.factory.options.dialTimeout) {
				moved = false
				c.drop(p, fmt.Errorf("the slot has moved: %w", err))
			}
			return next, err
		})
		if !ok {
			return
		}
		if moved {
			next.queue, next.again = p.queue, p.again
		}
		p = next
		c.sender.Store(p)
	}
}

// unsettled reports whether a server has refused a connection. Nodes of a cluster learn of another master one by one.
func unsettled(err error) bool { return errors.Is(err, errNotMaster) || isReply(err) }

// drop has a publisher accept no more messages, and those that it has fail.
func (c *conn) drop(p *publisher, cause error) {
	c.sender.Store(nil)
	for _, message := range append(p.again, p.queue.Close(errDisconnected)...) {
		c.failed(message, cause)
	}
}

// connectPublisher connects through c.up.
func (c *conn) connectPublisher(ctx context.Context, prepare func(context.Context, *redis.Client) error) (*publisher, error) {
	client, err := c.factory.connect(ctx, c.up, func(client *redis.Client) error { return prepare(ctx, client) })
	if err != nil {
		return nil, err
	}
	return &publisher{client: client, queue: transport.NewSendQueue()}, nil
}

// send sends what is queued until the connection ends, and returns why it ended. Messages
// that are queued while a pipeline waits for its replies share the next one.
func (c *conn) send(p *publisher) error {
	var batch [][]byte
	pipe := p.client.Pipeline()
	for {
		if batch = append(batch[:0], p.again...); len(batch) == 0 {
			batch = p.queue.NextBatch(c.alive, batch, pipelineMessages, pipelineBytes)
		}
		if len(batch) == 0 {
			return c.alive.Err()
		}
		p.again = p.again[:0]
		if err := c.pipeline(p, pipe, batch); err != nil {
			return err
		}
		for _, message := range batch {
			p.queue.Reuse(message)
		}
	}
}

// pipeline sends messages in one pipeline, and reports each that was acknowledged or failed.
// It returns an error if the connection has ended: then it is not known whether the messages
// without a reply were published, and they have neither failed nor been acknowledged.
func (c *conn) pipeline(p *publisher, pipe redis.Pipeliner, batch [][]byte) (ended error) {
	for _, message := range batch {
		c.add(pipe, message)
	}
	o := &c.factory.options
	if words := o.waitCommand(); words != nil {
		pipe.Do(c.alive, words...)
	}
	replies, _ := pipe.Exec(c.alive) // each has its own error
	var waited error
	if len(replies) > len(batch) {
		waited = o.waited(replies[len(batch)].(*redis.Cmd))
	}
	for i, message := range batch {
		cause := outcome(replies[i])
		if cause == nil {
			cause = waited
		}
		switch {
		case c.isMoved(cause):
			ended, p.again = cause, append(p.again, message)
		case cause != nil && !isReply(cause):
			ended = cause
		case len(message) < requester.StampSize:
		case cause != nil:
			c.failed(message, cause)
		case o.stores():
			c.Acked(message)
		}
	}
	return ended
}

// check is the message that has a publisher send PING. Requests are longer.
var check = []byte{0}

// add adds the command that sends a message.
func (c *conn) add(pipe redis.Pipeliner, message []byte) {
	o := &c.factory.options
	switch {
	case len(message) < requester.StampSize:
		pipe.Ping(c.alive)
	case o.stores():
		pipe.XAdd(c.alive, &redis.XAddArgs{Stream: c.streamOf(message), NoMkStream: true, MaxLen: c.maxLen(len(message)), Approx: true, Values: c.factory.fields(message)})
	case o.clustered:
		pipe.SPublish(c.alive, c.sendsTo, message)
	default:
		pipe.Publish(c.alive, c.sendsTo, message)
	}
}

// maxLen returns how many messages of that size a stream keeps; 0: all.
func (c *conn) maxLen(size int) int64 {
	if c.share > 0 {
		return max(c.share/int64(size), 1)
	}
	return int64(c.factory.options.maxLen)
}

// outcome returns why a message was not published, or not added to its stream. When the
// connection ends within a pipeline, go-redis sets that error for the replies before it, too.
func outcome(reply redis.Cmder) error {
	if id, ok := reply.(*redis.StringCmd); ok && id.Val() != "" {
		return nil
	}
	if errors.Is(reply.Err(), redis.Nil) {
		return errGone
	}
	if subscribers, ok := reply.(*redis.IntCmd); ok && reply.Err() == nil && subscribers.Val() == 0 {
		return errNoSubscriber
	}
	return reply.Err()
}

// isReply reports whether an error is the server's reply, so that the connection goes on.
func isReply(err error) bool {
	var reply redis.Error
	return errors.As(err, &reply)
}

// waitCommand returns the command whose reply the messages of a pipeline wait for; nil if none.
func (o *options) waitCommand() []any {
	switch {
	case o.waitFsync:
		return []any{"WAITAOF", 1, o.waitReplicas, o.waitTimeout.Milliseconds()}
	case o.waitReplicas > 0:
		return []any{"WAIT", o.waitReplicas, o.waitTimeout.Milliseconds()}
	}
	return nil
}

// waited returns why the reply to waitCommand does not suffice.
func (o *options) waited(reply *redis.Cmd) error {
	counts := []int64{1, 0} // the server itself, and replicas
	var err error
	if o.waitFsync {
		counts, err = reply.Int64Slice()
	} else {
		counts[1], err = reply.Int64()
	}
	switch {
	case err != nil:
		return err
	case len(counts) != 2:
		return fmt.Errorf("unexpected reply to WAITAOF: %v", counts)
	case counts[0] < 1:
		return fmt.Errorf("%w within %v: not by the server itself", errNoFsync, o.waitTimeout)
	case counts[1] >= int64(o.waitReplicas):
		return nil
	case o.waitFsync:
		return fmt.Errorf("%w within %v: %d of %d replicas", errNoFsync, o.waitTimeout, counts[1], o.waitReplicas)
	}
	return fmt.Errorf("%w within %v: %d of %d", errReplicas, o.waitTimeout, counts[1], o.waitReplicas)
}
