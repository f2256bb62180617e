package redis

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/brokerbench/brokerbench/brokers/internal/outage"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

var (
	errNotSetUp     = errors.New("redis: the connection is not set up")
	errDisconnected = errors.New("disconnected")
)

// A conn is one connection: a channel of its own, a socket that publishes and one
// that is subscribed, because that is how go-redis, and RESP 2, do it.
type conn struct {
	requester.EventLog

	factory  *Factory
	channel  string
	reply    requester.Reply
	fail     func(payload []byte, cause error)
	outages  *outage.Log
	up, down *line                     // the publisher's socket and the subscriber's
	limits   limits                    // of the server
	sender   atomic.Pointer[publisher] // nil while there is none
	head     []byte                    // the start of the command that sends a message
	wait     []byte                    // a command that each message waits for; nil: none
	answers  func(*publisher) error    // reads the replies to it
	renew    func(*redis.Conn) error   // prepares a publisher that replaces one; nil: nothing to do
	client   *redis.Client             // the subscriber's; nil until Setup has made it
	receiver *redis.PubSub             // nil until Setup has made it
	ready    bool                      // set up
	probed   chan error                // gets the outcome of Setup's probe
	slow     atomic.Int64              // clients that the server had disconnected for being slow when last asked

	alive   context.Context // until Teardown
	cancel  context.CancelFunc
	closing atomic.Bool
	served  sync.WaitGroup
}

var (
	_ requester.FailureNotifier = (*conn)(nil)
	_ requester.Witness         = (*conn)(nil)
	_ requester.SocketWriter    = (*conn)(nil)
)

func newConn(f *Factory, number int, reply requester.Reply) *conn {
	c := &conn{
		factory: f, channel: f.sides.From(f.channel(number)), reply: reply, fail: func([]byte, error) {},
		up: newLine(f), down: newLine(f), probed: make(chan error, 1),
	}
	c.head = publishHead(f.sides.To(f.channel(number)))
	c.answers = func(p *publisher) error { return p.answers(c.unserved) }
	c.outages = outage.New(&c.EventLog)
	c.alive, c.cancel = context.WithCancel(context.Background())
	return c
}

// NotifyFailure implements [requester.FailureNotifier].
func (c *conn) NotifyFailure(fail func(payload []byte, cause error)) { c.fail = fail }

// WritesToSocket implements [requester.SocketWriter].
func (c *conn) WritesToSocket() bool { return true }

// Request implements [requester.Requester]. It writes the message to the socket,
// and blocks only while that is full.
func (c *conn) Request(ctx context.Context, payload []byte) error {
	if !c.ready {
		return errNotSetUp
	}
	if err := c.limits.check(len(payload)); err != nil {
		return c.factory.explain("sending a message", err)
	}
	if err := c.up.obey(ctx); err != nil {
		return err
	}
	p := c.sender.Load()
	if p == nil {
		return c.factory.explain("sending a message", errDisconnected)
	}
	if err := p.publish(payload); err != nil {
		return c.publishError(ctx, err)
	}
	return nil
}

// publishError explains why a message was not sent. If ctx has ended, that is the
// cause, whatever the socket says: it cut off a blocked write.
func (c *conn) publishError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = fmt.Errorf("%w while the socket was blocked: %w", ctx.Err(), err)
	} else {
		err = fmt.Errorf("%w: %w", errDisconnected, err)
	}
	return c.factory.explain("sending a message", err)
}

// unserved reports a message that reached nobody.
func (c *conn) unserved(stamp []byte, cause error) {
	if !c.closing.Load() {
		c.fail(stamp, c.factory.explain("publishing a message", cause))
	}
}

// deliver takes what arrives on the channel. A message that is too short for a
// request is a probe.
func (c *conn) deliver(message string) {
	if len(message) < requester.StampSize {
		c.settleProbe(nil)
		return
	}
	// go-redis made the string from a buffer that nobody else has.
	c.reply(unsafe.Slice(unsafe.StringData(message), len(message))) //nolint:gosec // saves a copy of up to 1 MiB before Done
}

// settleProbe gives Setup the outcome of its probe.
func (c *conn) settleProbe(err error) {
	select {
	case c.probed <- err:
	default: // one is enough
	}
}
