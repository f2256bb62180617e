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

// auditID returns the client identifier of the session that the audit reads. It is resumed, or made,
// without a clean start: of a session that began so, Mosquitto 2.0 writes nothing to its file.
func auditID(run string, number int) string { return target.Name(run, number) + leftover.Audit }

// makeSession makes the session that the audit reads, which is away from then on. Members make their own.
func (c *conn) makeSession(ctx context.Context, of *leftover.Shared) error {
	if of != c.Shared {
		of.Set(true)
		return nil
	}
	if !c.factory.options.auditSession {
		return nil
	}
	c.Set(true)
	err := c.factory.with(ctx, c.number, paho.Connect{ClientID: c.Name}, paho.ClientConfig{}, func(ctx context.Context, s *client) error {
		if s.old {
			c.Set(false)
			return errTaken
		}
		return s.subscribe(ctx, topic(c.factory.Run, c.number), 1)
	})
	return c.Explain("making the session for the audit", err)
}

// Audit implements [requester.Auditor]: it resumes the session of each connection, and reads
// the messages that the broker kept for it.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	if !f.options.auditSession {
		return fmt.Errorf("%w: %w", errNoAudit, requester.ErrKeepsNothing)
	}
	for _, c := range f.conns.All() {
		if !c.There() {
			continue
		}
		if err := c.read(ctx, kept); err != nil {
			return f.Explain("reading session "+c.Name, target.Because(ctx, err))
		}
	}
	return nil
}

// read resumes the session and reads it to its end, until a mark that it publishes comes back.
func (c *conn) read(ctx context.Context, kept func([]byte)) error {
	mark, end, n := transport.NewMark(), make(chan []byte, 1), 0
	var last []byte // the message that was acknowledged last; nil once it was read
	if l, ok := c.Current(); ok && c.Losses() == 0 {
		last = l.window.LastAcked()
	}
	deliver := func(stamp string, message []byte) {
		switch payload := requester.Join(nil, stamp, message); {
		case mark == nil:
		case bytes.Equal(payload, mark):
			mark = nil
			end <- payload
		case len(payload) >= requester.StampSize: // else it is a probe
			if n++; bytes.HasPrefix(payload, last) {
				last = nil
			}
			kept(payload)
		}
	}
	sent := mark
	err := c.factory.with(ctx, c.number, paho.Connect{ClientID: c.Name}, delivering(deliver), func(ctx context.Context, s *client) error {
		if !s.old {
			return requester.ErrStoreGone
		}
		publish := s.publisher(ctx, topic(c.factory.Run, c.number), 1, requester.Headers{})
		return transport.Repeat(ctx, markEvery, end, func() error { return publish(sent) })
	})
	if err == nil && last != nil {
		err = fmt.Errorf("after %d messages: %w", n, errCutShort)
	}
	return err
}

// Left implements [requester.Sweeper].
func (f *Factory) Left() []string {
	left := transport.Left(&f.conns)
	for _, s := range f.sessions {
		left = append(left, s.Left()...)
	}
	return left
}

// Find implements [requester.Sweeper]. MQTT cannot list sessions: Find asks for those that the
// run can have, by name, and says which it asked for. A session is in use if messages of its
// cell pass.
func (f *Factory) Find(ctx context.Context, q requester.LeftoverQuery) ([]requester.Leftover, string, error) {
	const unseen = "MQTT cannot list sessions: "
	if q.Run == "" {
		err := f.start(ctx, "brokerbench."+f.Run+".clean")
		return nil, unseen + fmt.Sprintf("name a run with --only; a session that is left expires by itself %v after its last use", expiry), f.Explain("connecting", err)
	}
	busy := make(map[string]string) // why the sessions of a cell are in use
	names := func(run string, number int) []string { return []string{auditID(run, number)} }
	found, asked, err := leftover.Ask(q.Run, "session", names, func(id string) (string, bool, error) {
		cell := leftover.Run(id)
		there, err := f.there(ctx, id)
		if _, known := busy[cell]; there && !known {
			if busy[cell], _, err = f.listen(ctx, "clean", "brokerbench/"+cell+"/+"); busy[cell] != "" {
				busy[cell] = "messages pass"
			}
		}
		return busy[cell], there, err
	})
	return found, unseen + "asked by name for those of " + asked, f.Explain("looking for sessions", err)
}

// there reports whether there is a session, and takes nothing out of it. One that is not there is
// made and removed.
func (f *Factory) there(ctx context.Context, id string) (bool, error) {
	c, err := f.dial(ctx, 0, paho.Connect{ClientID: id}, paho.ClientConfig{EnableManualAcknowledgment: true}, func(error) {})
	if err != nil {
		return false, err
	}
	c.close(!c.old)
	return c.old, nil
}

// Remove implements [requester.Sweeper].
func (f *Factory) Remove(ctx context.Context, leftovers []requester.Leftover) (errs []error) {
	for _, l := range leftovers {
		errs = append(errs, f.remove(ctx, l.Name))
	}
	return errs
}

// remove removes a session: after a clean start it ends with its connection.
func (f *Factory) remove(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, removeLimit)
	defer cancel()
	return f.Explain("removing session "+id, f.start(ctx, id))
}

// start connects with a clean start, and disconnects.
func (f *Factory) start(ctx context.Context, id string) error {
	nothing := func(context.Context, *client) error { return nil }
	return f.with(ctx, 0, paho.Connect{ClientID: id, CleanStart: true}, paho.ClientConfig{}, nothing)
}
