package mqtt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eclipse/paho.golang/paho"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	expiry      = 7 * 24 * time.Hour     // how long a session outlives its last connection
	removeLimit = 2 * time.Second        // for removing one
	markEvery   = 200 * time.Millisecond // how often the mark at a session's end is published: a broker drops it while the session is full
)

var (
	errNoAudit  = errors.New("a broker keeps messages for sessions: an audit takes audit-session=true")
	errTaken    = errors.New("another run has this name: its session is there")
	errCutShort = errors.New("the session lacks the last message that was acknowledged, though no connection was lost: it has met a limit of the broker's")
)

// auditID returns the client identifier of the session that the audit reads.
func auditID(run string, number int) string { return target.Name(run, number) + leftover.Audit }

// resumed returns how the session of an audit is resumed, or made. It is not a clean start: of a
// session that began so, Mosquitto 2.0 writes nothing to its file.
func resumed(id string) dialOptions {
	return dialOptions{id: id, resume: true, expiry: uint32(expiry / time.Second)}
}

// makeSession makes the session that the audit reads, which is away from then on.
func (c *conn) makeSession(ctx context.Context) error {
	if !c.factory.options.auditSession {
		return nil
	}
	c.kept.Store(true)
	s, err := c.factory.dial(ctx, c.number, resumed(auditID(c.factory.run, c.number)))
	if err != nil {
		return err
	}
	defer s.close(false)
	defer context.AfterFunc(ctx, s.socket.Cut)()
	if s.answer.SessionPresent {
		c.kept.Store(false)
		return errTaken
	}
	return s.subscribe(ctx, topic(c.factory.run, c.number), 1)
}

// removeSession removes the session that the audit reads.
func (c *conn) removeSession(ctx context.Context) error {
	if !c.kept.Load() {
		return nil
	}
	err := c.factory.remove(ctx, auditID(c.factory.run, c.number))
	c.kept.Store(err != nil)
	return err
}

// Left returns the session that may still be there.
func (c *conn) Left() []string {
	if !c.kept.Load() {
		return nil
	}
	return []string{"session " + auditID(c.factory.run, c.number)}
}

// Store implements [requester.Auditor].
func (f *Factory) Store() requester.Store { return requester.Store{} }

// Audit implements [requester.Auditor]: it resumes the session of each connection, and reads
// the messages that the broker kept for it.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	if !f.options.auditSession {
		return fmt.Errorf("%w: %w", errNoAudit, requester.ErrKeepsNothing)
	}
	for _, c := range f.conns.All() {
		if !c.kept.Load() {
			continue
		}
		r := &reading{kept: kept, mark: transport.NewMark(), end: make(chan struct{})}
		if l, ok := c.Current(); ok {
			r.last = l.session.lastAcked()
		}
		err := f.read(ctx, c.number, r)
		if err == nil && len(r.last) > 0 && c.Losses() == 0 {
			err = fmt.Errorf("after %d messages: %w", r.count, errCutShort)
		}
		if err != nil {
			return f.explain("reading session "+auditID(f.run, c.number), target.Because(ctx, err))
		}
	}
	return nil
}

// A reading is what an audit reads of one session.
type reading struct {
	kept  func([]byte)
	mark  []byte        // is published at the end
	last  []byte        // the message that was acknowledged last; nil once it is read
	count int           // messages
	end   chan struct{} // closed when the mark was read
	over  bool
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

// read resumes a session and reads it to its end, until the mark comes back. When it returns,
// reading has ended.
func (f *Factory) read(ctx context.Context, number int, r *reading) error {
	o := resumed(auditID(f.run, number))
	o.deliver = r.deliver
	c, err := f.dial(ctx, number, o)
	if err != nil {
		return err
	}
	defer c.close(false)
	defer context.AfterFunc(ctx, c.socket.Cut)()
	if !c.answer.SessionPresent {
		return requester.ErrStoreGone
	}
	again := time.NewTicker(markEvery)
	defer again.Stop()
	mark := &paho.Publish{Topic: topic(f.run, number), QoS: 1}
	for {
		if err := c.publish(ctx, mark, r.mark); err != nil {
			return err
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
