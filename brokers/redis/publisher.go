package redis

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	errNobody   = errors.New("nobody was subscribed: PUBLISH reached 0 receivers")
	errProtocol = errors.New("unexpected reply to PUBLISH")
)

// A publisher writes PUBLISH commands to a socket that go-redis has dialled,
// authenticated and set up. Another goroutine reads the replies, so a request
// waits neither for the reply to the one before, as go-redis's Publish does, nor
// for another goroutine.
type publisher struct {
	socket     net.Conn
	raw        net.Conn // the socket without TLS
	head       []byte   // the start of the command, always the same
	frame      []byte   // of Request
	unanswered stamps
	client     *redis.Client
	held       *redis.Conn // keeps go-redis from using the socket
}

// connectPublisher has go-redis make the connection and run prepare on it, then
// takes the socket over.
func (f *Factory) connectPublisher(ctx context.Context, l *line, channel string, prepare func(*redis.Conn) error) (*publisher, error) {
	client, err := f.dialled(ctx, l)
	if err != nil {
		return nil, err
	}
	p := &publisher{client: client, held: client.EphemeralConn()}
	err = p.held.Ping(ctx).Err()
	if err == nil && prepare != nil {
		err = prepare(p.held)
	}
	if err != nil {
		p.close()
		return nil, cmp.Or(l.refused(), err)
	}
	l.settled()
	p.socket, p.raw = l.current()
	p.head = fmt.Appendf(nil, "*3\r\n$7\r\nPUBLISH\r\n$%d\r\n%s\r\n$", len(channel), channel)
	return p, p.socket.SetDeadline(time.Time{})
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
	_, err := p.socket.Write(p.frame)
	if err != nil {
		_ = p.raw.Close() // ends answers
	}
	return err
}

// answers reads the replies until the connection ends, and returns why it ended.
// It calls fail for each message that reached no subscriber.
func (p *publisher) answers(fail func(stamp []byte, cause error)) error {
	r := bufio.NewReader(p.socket)
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

// close closes the connection.
func (p *publisher) close() {
	_ = p.held.Close()
	_ = p.client.Close()
}
