package impact

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// A wire answers each message after what the functions say; a nil ack never comes. It keeps
// what it acknowledged but for what forgets says. Offsets count from the first request.
type wire struct {
	reply   func(conn int, at time.Duration) time.Duration // negative: never
	ack     func(conn int, at time.Duration) time.Duration // negative: never
	forgets func(at time.Duration) bool
	refuses func(at time.Duration) bool
	twice   func(at time.Duration) bool

	start time.Time
	mu    sync.Mutex
	store [][]byte
}

type strand struct {
	wire  *wire
	conn  int
	reply func([]byte)
	ack   func([]byte)
}

var errRefused = errors.New("refused")

func (w *wire) New(conn int, sink requester.Sink) (requester.Requester, error) {
	s := &strand{wire: w, conn: conn, reply: sink.Reply, ack: sink.Acked}
	if w.ack == nil {
		return s, nil
	}
	return acking{s}, nil
}

func (*wire) Store() requester.Store { return requester.Store{} }

func (w *wire) Audit(_ context.Context, kept func([]byte)) error {
	if w.ack == nil {
		return requester.ErrKeepsNothing
	}
	for _, payload := range w.store {
		kept(payload)
	}
	return nil
}

func (*strand) Traits() requester.Traits      { return requester.Traits{} }
func (s *strand) Setup(context.Context) error { return nil }

func (s *strand) Teardown(context.Context) error { return nil }

func (s *strand) Request(_ context.Context, payload []byte) error {
	w, payload := s.wire, bytes.Clone(payload)
	stamp, _ := requester.ReadStamp(payload)
	if stamp.Seq == requester.ProbeSeq {
		s.reply(payload)
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.start.IsZero() {
		w.start = time.Now()
	}
	at := time.Since(w.start)
	if w.refuses != nil && w.refuses(at) {
		return errRefused
	}
	if w.forgets == nil || !w.forgets(at) {
		w.store = append(w.store, payload)
	}
	times := 1
	if w.twice != nil && w.twice(at) {
		times = 2
	}
	for range times {
		after(w.reply(s.conn, at), func() { s.reply(payload) })
	}
	if w.ack != nil {
		after(w.ack(s.conn, at), func() { s.ack(payload) })
	}
	return nil
}

func after(wait time.Duration, do func()) {
	if wait >= 0 {
		time.AfterFunc(wait, do)
	}
}

type acking struct{ *strand }

func (acking) Traits() requester.Traits { return requester.Traits{Acknowledges: true} }

// always answers after a delay, but in silent times after their end.
func always(delay time.Duration, silent ...gap) func(int, time.Duration) time.Duration {
	return func(_ int, at time.Duration) time.Duration {
		for _, s := range silent {
			if due := at + delay; due >= s.From && due < s.To {
				return s.To - at
			}
		}
		return delay
	}
}
