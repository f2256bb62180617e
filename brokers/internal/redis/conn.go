package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

var (
	errNotSetUp     = errors.New("redis: the connection is not set up")
	errDisconnected = errors.New("disconnected")
)

// The sockets of a connection, as events name them.
const (
	publisherSocket  = "publisher"
	subscriberSocket = "subscriber"
	consumerSocket   = "consumer" // reads a stream
)

// A conn is one connection: its channel or stream, a socket that publishes, and one that is
// subscribed or reads the stream. With groups of consumers it has one of the sockets.
type conn struct {
	*transport.Outcomes
	transport.Work
	leftover.Uses

	factory  *Factory
	streams  []*leftover.Shared
	channel  string   // or stream: its own, or the one to which it sends
	topic    int      // of messages without a key
	sendsTo  string   // channel
	receives []string // channels or streams; nil: none
	group    string   // of the streams
	consumer string   // in the group
	outages  *transport.ConnLog
	up, down *line                     // of the publisher, and of the subscriber or consumer
	limits   limits                    // of the server
	sender   atomic.Pointer[publisher] // nil while there is none
	share    int64                     // bytes that each of the streams keeps; 0: all
	ready    bool                      // set up

	client   *redis.Client // of the subscriber; nil until Setup has made it
	receiver *redis.PubSub // nil until Setup has made it
	slow     atomic.Int64  // how many clients the server had disconnected for being slow when last asked

	alive   context.Context // until Teardown
	leaving atomic.Bool     // as a member: it reads nothing more
	ended   chan struct{}   // closed when nothing more is read
	done    []string        // IDs of messages to acknowledge; only the goroutine that reads a stream uses it
}

// newConn returns a connection that receives nothing, and sends to the first of the streams or channels.
func newConn(f *Factory, sink requester.Sink, streams ...*leftover.Shared) *conn {
	c := &conn{
		Outcomes: transport.NewOutcomes(sink, f.Explain), factory: f, streams: streams,
		channel: streams[0].Name, sendsTo: streams[0].Name, group: group, consumer: group,
		outages: transport.NewConnLog(sink.Event), ended: make(chan struct{}),
	}
	c.up = f.lineTo(func() string { return cmp.Or(c.sendsTo, c.channel) })
	c.down = f.lineTo(func() string { return append(c.receives, c.channel)[0] })
	c.alive = c.Begin(context.Background())
	return c
}

// Traits implements [requester.Requester].
func (c *conn) Traits() requester.Traits {
	return requester.Traits{Acknowledges: c.factory.options.stores()}
}

// Request implements [requester.Requester]. It queues a copy of the message, which another
// goroutine sends.
func (c *conn) Request(ctx context.Context, payload []byte) error {
	if !c.ready {
		return errNotSetUp
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	size := len(payload)
	if c.factory.headers.Stamp {
		size -= requester.StampSize // another field
	}
	err := c.limits.check(size)
	if err == nil {
		err = errDisconnected
		if p := c.sender.Load(); p != nil {
			err = p.queue.Add(payload)
		}
	}
	return c.factory.Explain("sending a message", err)
}

// failed reports a message that was not published.
func (c *conn) failed(message []byte, cause error) {
	c.Failed(message, c.factory.Explain("publishing a message", cause))
}

// deliver passes on a message that arrived, with the stamp if that is no part of it; taken is false if it was
// dropped. go-redis has made the string from a buffer that is not used again.
func (c *conn) deliver(stamp, message string) (taken bool) {
	return c.DeliverWith(stamp, unsafe.Slice(unsafe.StringData(message), len(message))) //nolint:gosec // saves a copy of up to 1 MiB before Done
}

// lost notes errors of a socket: the first one begins an outage. When a consumer is lost, the
// publisher checks its own connection, which it does not read while nothing is sent.
func (c *conn) lost(socket string, err error) {
	if !c.outages.Lost(socket, "%s disconnected: %v", socket, err) {
		c.outages.Failed(socket, "%s reconnecting: %v", socket, err)
	}
	if p := c.sender.Load(); p != nil {
		_ = p.queue.Add(check)
	}
}

// reconnect calls connect after the connection of a socket has ended with err, and after a
// pause each time, until it succeeds. ok is false if Teardown or Depart was called meanwhile.
func reconnect[C any](c *conn, socket string, err error, connect func() (C, error)) (connected C, ok bool) {
	for err != nil {
		if c.Muted() || c.leaving.Load() {
			return connected, false
		}
		c.lost(socket, err)
		c.pause()
		connected, err = connect()
	}
	c.back(socket)
	return connected, true
}

// back ends an outage of a socket. alone reports whether the other socket stayed connected.
func (c *conn) back(socket string) (alone bool) {
	return c.outages.Back(socket, "%s reconnected", socket)
}

// pause waits before the next attempt to connect.
func (c *conn) pause() {
	select {
	case <-c.alive.Done():
	case <-time.After(c.factory.options.reconnectWait):
	}
}

// Teardown implements [requester.Requester]: it closes both sockets, which also ends a
// subscription, waits for the last reply, and removes the stream.
func (c *conn) Teardown(ctx context.Context) error {
	c.Mute()
	c.outages.End()
	c.Stop()
	c.up.close()
	c.down.close()
	if c.receiver != nil {
		_ = c.receiver.Close()
	}
	if c.client != nil {
		_ = c.client.Close()
	}
	ended := make(chan struct{})
	go func() { c.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-ctx.Done():
		return c.factory.Explain("tearing down "+c.channel, fmt.Errorf("the handler of the last reply is still running: %w", ctx.Err()))
	}
	return c.Leave(ctx)
}
