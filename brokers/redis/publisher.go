package redis

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
)

var (
	errNobody   = errors.New("nobody was subscribed: PUBLISH reached 0 receivers")
	errProtocol = errors.New("unexpected reply to PUBLISH")
)

// A publisher writes commands that carry a message, PUBLISH or XADD, to a socket that
// go-redis has dialled, authenticated and set up. Another goroutine reads the replies,
// so a request waits neither for the reply to the one before, as go-redis's Publish
// does, nor for another goroutine.
type publisher struct {
	*held
	head       []byte // the start of the command, always the same
	frame      []byte // of Request
	unanswered stamps
	waits      *waits // nil: a message needs no replica, and no disk
}

// publishHead returns the start of PUBLISH, up to the size of the message.
func publishHead(channel string) []byte { return append(command(1, "PUBLISH", channel), '$') }

// command returns a command as the protocol has it, of which so many words are yet to
// come.
func command(more int, words ...string) []byte {
	c := fmt.Appendf(nil, "*%d\r\n", len(words)+more)
	for _, word := range words {
		c = fmt.Appendf(c, "$%d\r\n%s\r\n", len(word), word)
	}
	return c
}

// connectPublisher has go-redis make the connection and run prepare on it, then
// takes the socket over.
func (c *conn) connectPublisher(ctx context.Context, prepare func(*redis.Conn) error) (*publisher, error) {
	h, err := c.factory.hold(ctx, c.up, prepare)
	if err != nil {
		return nil, err
	}
	p := &publisher{held: h, head: c.head}
	if c.wait != nil {
		p.waits = &waits{command: c.wait}
	}
	return p, nil
}

// publish writes one command in one write. An error ends the connection: the
// server may have a part of the message.
func (p *publisher) publish(payload []byte) error {
	p.unanswered.push(payload)
	frame := append(p.frame[:0], p.head...)
	frame = strconv.AppendInt(frame, int64(len(payload)), 10)
	frame = append(frame, "\r\n"...)
	frame = append(frame, payload...)
	p.frame = append(frame, "\r\n"...)
	if p.waits != nil {
		return p.waits.write(p)
	}
	return p.write(p.frame)
}

// answers reads the replies until the connection ends, and returns why it ended.
// It calls fail for each message that reached no subscriber.
func (p *publisher) answers(fail func(stamp []byte, cause error)) error {
	r := bufio.NewReader(inBatches(p.socket))
	for {
		reply, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		reply = bytes.TrimRight(reply, "\r\n")
		stamp, ok := p.unanswered.pop()
		switch {
		case ok && string(reply) == ":0":
			fail(stamp[:], errNobody)
		case ok && len(reply) > 1 && reply[0] == ':':
		case ok && len(reply) > 1 && reply[0] == '-':
			fail(stamp[:], errors.New(string(reply[1:])))
		default:
			return fmt.Errorf("%w: %.40q", errProtocol, reply)
		}
	}
}
