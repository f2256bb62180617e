package loopback

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

var errClosed = errors.New("loopback: the connection is closed")

// conn is one loopback connection. Replies come in the order in which they are
// due, which is that of the requests unless one came in a slow phase.
type conn struct {
	cfg   Config
	start func() time.Time // of the first request of any connection
	reply func(payload []byte)

	journal *Journal // nil: nothing is noted

	closed atomic.Bool
	wake   chan struct{} // wakes deliver after a change; nil if nothing is delayed
	ended  chan struct{}

	mu    sync.Mutex
	free  time.Duration // with a pace: the next reply comes no earlier
	n     int           // requests so far, the probe not counted
	queue []held
	gone  bool // the queue was handed to others, and takes nothing more
}

// held is a reply that is not due yet.
type held struct {
	at      time.Duration
	payload []byte
	copies  int
}

// Traits implements requester.Requester.
func (c *conn) Traits() requester.Traits { return requester.Traits{} }

// Setup starts the goroutine that delivers delayed replies, if there are any.
func (c *conn) Setup(context.Context) error {
	if c.cfg.Delay > 0 || len(c.cfg.Freezes) > 0 || len(c.cfg.Slow) > 0 || c.cfg.Pace > 0 {
		c.wake, c.ended = make(chan struct{}, 1), make(chan struct{})
		go c.deliver()
	}
	return nil
}

// Request answers at once, or queues the reply until it is due.
func (c *conn) Request(_ context.Context, payload []byte) error {
	stamp, _ := requester.ReadStamp(payload)
	echoes := c.wake == nil && c.cfg.Drop == 0 && c.cfg.Duplicate == 0 && c.cfg.Corrupt == 0
	switch {
	case c.closed.Load():
		return errClosed
	case stamp.Seq == requester.ProbeSeq || echoes && c.journal == nil:
		c.reply(payload)
	default:
		return c.misbehave(payload)
	}
	return nil
}

func (c *conn) misbehave(payload []byte) error {
	now := time.Now()
	c.journal.Came(payload, now)
	c.mu.Lock()
	if c.gone {
		c.mu.Unlock()
		return errClosed
	}
	h := held{payload: append([]byte(nil), payload...), copies: c.copies()}
	if falls(c.n, c.cfg.Corrupt) {
		h.payload[len(h.payload)-1] ^= 1
	}
	c.n++
	if c.wake == nil {
		c.mu.Unlock()
		c.answer(h)
		return nil
	}
	h.at = c.cfg.ReplyAt(max(now.Sub(c.start()), 0))
	if c.cfg.Pace > 0 {
		h.at = max(h.at, c.free)
		c.free = h.at + c.cfg.Pace
	}
	c.queue = insert(c.queue, h)
	c.mu.Unlock()
	c.signal()
	return nil
}

// insert puts a reply behind those that are due no later.
func insert(queue []held, h held) []held {
	i, _ := slices.BinarySearchFunc(queue, h.at+1, func(h held, at time.Duration) int { return cmp.Compare(h.at, at) })
	return slices.Insert(queue, i, h)
}

// copies returns how often the reply of the current request comes.
func (c *conn) copies() int {
	switch {
	case c.cfg.Drops(c.n):
		return 0
	case falls(c.n, c.cfg.Duplicate):
		return 2
	}
	return 1
}

// falls reports whether request n belongs to the given share of all requests. They
// are evenly spread: floor(N·share) of the first N belong to it.
func falls(n int, share float64) bool {
	return math.Floor(float64(n+1)*share) > math.Floor(float64(n)*share)
}

func (c *conn) answer(h held) {
	for range h.copies {
		if c.journal != nil {
			c.journal.Left(h.payload, time.Now())
		}
		c.reply(h.payload)
	}
}

func (c *conn) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// deliver answers what is due until the connection is closed.
func (c *conn) deliver() {
	defer close(c.ended)
	for {
		h, wait, open := c.take()
		switch {
		case !open:
			return
		case wait > 0:
			select {
			case <-c.wake:
			case <-time.After(wait):
			}
		default:
			c.answer(h)
		}
	}
}

// take returns the next reply if it is due, else how long to wait for it.
func (c *conn) take() (h held, wait time.Duration, open bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed.Load():
		return held{}, 0, false
	case len(c.queue) == 0:
		return held{}, time.Hour, true
	}
	h = c.queue[0]
	if wait = h.at - time.Since(c.start()); wait > 0 {
		return held{}, wait, true
	}
	c.queue = c.queue[1:]
	return h, 0, true
}

// Teardown drops the replies that are not due yet.
func (c *conn) Teardown(context.Context) error {
	c.closed.Store(true)
	if c.wake != nil {
		c.signal()
		<-c.ended
	}
	return nil
}
