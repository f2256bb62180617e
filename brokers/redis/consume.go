package redis

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

// consumer is what reads a stream, as events name its socket.
const consumer = "consumer"

// The places where a read begins: at the first message (of a group: at the first that
// was not acknowledged), and at those that the group has given to nobody.
const (
	fromFirst = "0"
	fromNew   = ">"
)

// joinGroup makes the consumer group, if one is wanted and it is not there, and with it
// the stream: a server that keeps nothing has lost both when it is started again.
func (c *streamConn) joinGroup(ctx context.Context, client *redis.Conn) error {
	if c.factory.options.stream != streamGroup {
		return nil
	}
	err := client.XGroupCreateMkStream(ctx, c.channel, group, fromFirst).Err()
	if err != nil && strings.HasPrefix(err.Error(), "BUSYGROUP") {
		return nil
	}
	return err
}

// consume reads the stream, and makes a new connection whenever the old one ends, until
// Teardown. What was read before and not acknowledged comes again.
func (c *streamConn) consume(h *held) {
	c.from = []byte(fromFirst)
	for {
		err := target.Because(c.alive, c.read(h), c.down.whyLeft())
		h.close()
		for h = nil; h == nil; h, err = c.factory.hold(c.alive, c.down, func(client *redis.Conn) error { return c.joinGroup(c.alive, client) }) {
			if c.closing.Load() {
				return
			}
			c.settleProbe(err)
			c.lost(consumer, err)
			c.pause()
		}
		c.back(consumer)
	}
}

// read reads until the connection ends, and returns why it ended.
func (c *streamConn) read(h *held) error {
	r := newReplies(h.socket, c.factory.options.readBuffer)
	grouped := c.factory.options.stream == streamGroup
	if grouped {
		c.from = append(c.from[:0], fromFirst...)
	}
	done := newAcks(c.channel)
	take := func(id, payload []byte) {
		c.hand(payload)
		if grouped {
			done.add(id)
		} else {
			c.from = append(c.from[:0], id...)
		}
	}
	reading := c.reading()
	var frame []byte
	for {
		frame = done.command(frame[:0])
		frame = append(frame, reading...)
		frame = appendWord(frame, c.from)
		if err := h.write(frame); err != nil {
			return err
		}
		if done.n > 0 {
			if _, _, err := r.want(":"); err != nil {
				return fmt.Errorf("XACK: %w", err)
			}
			done.reset()
		}
		n, err := r.read(take)
		if err != nil {
			return err
		}
		if grouped && n == 0 {
			c.from = append(c.from[:0], fromNew...)
		}
	}
}

// reading returns the command that reads, up to where from.
func (c *streamConn) reading() []byte {
	count := strconv.Itoa(c.factory.options.readCount)
	rest := []string{"COUNT", count, "BLOCK", "0", "STREAMS", c.channel}
	if c.factory.options.stream == streamGroup {
		return command(1, append([]string{"XREADGROUP", "GROUP", group, group}, rest...)...)
	}
	return command(1, append([]string{"XREAD"}, rest...)...)
}

// hand passes a message on. One that is too short for a request is a probe, and one
// that was removed meanwhile is nothing.
func (c *streamConn) hand(payload []byte) {
	switch {
	case c.closing.Load(), len(payload) == 0:
	case len(payload) < requester.StampSize:
		c.settleProbe(nil)
	default:
		c.reply(payload)
	}
}

// acks are the IDs of messages to acknowledge to the group, as the protocol has them.
type acks struct {
	head []byte // of XACK, behind its number of words
	ids  []byte
	n    int
}

func newAcks(key string) *acks {
	_, head, _ := bytes.Cut(command(0, "XACK", key, group), []byte("\r\n"))
	return &acks{head: head}
}

func (a *acks) add(id []byte) {
	a.ids = appendWord(a.ids, id)
	a.n++
}

func (a *acks) reset() { a.ids, a.n = a.ids[:0], 0 }

// command appends XACK of all of them to frame, if there are any.
func (a *acks) command(frame []byte) []byte {
	if a.n == 0 {
		return frame
	}
	frame = strconv.AppendInt(append(frame, '*'), int64(3+a.n), 10)
	frame = append(append(frame, "\r\n"...), a.head...)
	return append(frame, a.ids...)
}

// appendWord appends a word as the protocol has it.
func appendWord(frame, word []byte) []byte {
	frame = strconv.AppendInt(append(frame, '$'), int64(len(word)), 10)
	frame = append(append(frame, "\r\n"...), word...)
	return append(frame, "\r\n"...)
}
