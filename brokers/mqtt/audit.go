package mqtt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/eclipse/paho.golang/paho"
)

var errNoAudit = errors.New("a broker keeps messages for sessions: an audit takes audit-session=true")

// markEvery is how often the mark at a session's end is published, until it comes: a broker
// drops it while the session is full.
const markEvery = 200 * time.Millisecond

// Audit implements [requester.Auditor]: it takes up the session of each connection, and reads
// what the broker has kept for it.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	if !f.options.auditSession {
		return fmt.Errorf("%w: %w", errNoAudit, requester.ErrKeepsNothing)
	}
	for _, c := range f.conns.All() {
		r := &reading{number: c.number, kept: kept, mark: mark(), last: c.lastAcked(), end: make(chan struct{})}
		if err := f.read(ctx, r); err != nil {
			return f.explain("reading session "+auditID(f.run, c.number), target.Because(ctx, err))
		}
		if len(r.last) > 0 && !c.torn.Load() {
			return f.explain("reading session "+auditID(f.run, c.number), fmt.Errorf("after %d messages: %w", r.count, errCutShort))
		}
	}
	return nil
}

// lastAcked returns the last message that was acknowledged, if the connection lives.
func (c *conn) lastAcked() []byte {
	if l := c.link.Load(); l != nil {
		return l.up.session.lastAcked()
	}
	return nil
}

// A reading is what an audit reads of one session.
type reading struct {
	number int
	kept   func([]byte)
	mark   []byte        // what is published at the end
	last   []byte        // the message that was acknowledged last; nil once it is read
	count  int           // messages
	end    chan struct{} // closed when the mark was read
	over   bool
}

// deliver takes what the session has.
func (r *reading) deliver(payload []byte) {
	switch {
	case r.over:
	case bytes.Equal(payload, r.mark):
		r.over = true
		close(r.end)
	case len(payload) >= requester.StampSize: // else it is a probe
		r.count++
		if len(r.last) > 0 && bytes.HasPrefix(payload, r.last) {
			r.last = nil
		}
		r.kept(payload)
	}
}

// read takes up a session and reads it to its end. When it returns, nothing is read any more.
func (f *Factory) read(ctx context.Context, r *reading) error {
	d := kept(auditID(f.run, r.number))
	d.deliver = r.deliver
	c, err := f.dial(ctx, r.number, d)
	if err != nil {
		return err
	}
	defer c.close(false)
	defer context.AfterFunc(ctx, c.socket.cut)()
	if !c.answer.SessionPresent {
		return requester.ErrStoreGone
	}
	return c.toEnd(ctx, topic(f.run, r.number), r)
}

// toEnd publishes the mark again and again, until it comes back.
func (c *client) toEnd(ctx context.Context, topic string, r *reading) error {
	again := time.NewTicker(markEvery)
	defer again.Stop()
	for {
		if c.session.room(false) {
			_, err := c.PublishWithOptions(ctx, &paho.Publish{Topic: topic, QoS: 1, Payload: r.mark}, paho.PublishOptions{Method: paho.PublishMethod_AsyncSend})
			if err != nil {
				return err
			}
		}
		select {
		case <-r.end:
			return nil
		case err := <-c.lost:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
	}
}
