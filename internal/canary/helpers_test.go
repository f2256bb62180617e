package canary

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// A system sends messages back after delays that it knows, and notes when. It is safe for concurrent use.
type system struct {
	delay func(n int) time.Duration // of the n-th message; below zero: it never comes back
	acks  bool

	mu       sync.Mutex
	down     error // of Setup, and of each request; nil: it is up
	deaf     bool  // requests are taken, and nothing comes back
	n        int
	sent     int64
	failed   int64
	samples  []sample // since the last flush
	left     []string
	runs     []string
	began    map[string]time.Time // the first message of each run
	maxAlive int
	living   int
}

type sample struct {
	run string
	v   time.Duration
}

func (s *system) set(down error, deaf bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down, s.deaf = down, deaf
}

// note counts a message of a run. The caller holds the lock.
func (s *system) note(run string) {
	if s.began == nil {
		s.began = make(map[string]time.Time)
	}
	if _, known := s.began[run]; !known {
		s.began[run] = time.Now()
	}
	s.n, s.sent = s.n+1, s.sent+1
}

func (s *system) open(run string) (requester.Factory, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = append(s.runs, run)
	return &factory{s, run}, nil
}

type factory struct {
	*system

	run string
}

func (f *factory) New(_ int, sink requester.Sink) (requester.Requester, error) {
	return &link{factory: f, sink: sink}, nil
}

// Left implements requester.Sweeper.
func (f *factory) Left() []string { return f.left }

func (f *factory) Find(context.Context, requester.LeftoverQuery) ([]requester.Leftover, string, error) {
	return nil, "", nil
}

func (f *factory) Remove(context.Context, []requester.Leftover) []error { return nil }

type link struct {
	*factory

	sink requester.Sink
	over bool
}

func (l *link) Traits() requester.Traits { return requester.Traits{Acknowledges: l.acks} }

func (l *link) Setup(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down == nil {
		l.living++
		l.maxAlive = max(l.maxAlive, l.living)
	}
	return l.down
}

func (l *link) Request(_ context.Context, payload []byte) error {
	stamp, _ := requester.ReadStamp(payload)
	payload = append([]byte(nil), payload...)
	if stamp.Seq == requester.ProbeSeq {
		l.sink.Reply(payload)
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down != nil {
		l.failed++
		return l.down
	}
	l.note(l.run)
	delay, begun := l.delay(l.n), time.Now()
	if delay < 0 || l.deaf {
		return nil
	}
	if l.acks {
		time.AfterFunc(delay/2, func() { l.sink.Acked(payload) })
	}
	time.AfterFunc(delay, func() {
		l.mu.Lock()
		over := l.over
		if !over {
			l.samples = append(l.samples, sample{l.run, time.Since(begun)})
		}
		l.mu.Unlock()
		if !over {
			l.sink.Reply(payload)
		}
	})
	return nil
}

func (l *link) Teardown(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.over, l.living = true, l.living-1
	}
	return nil
}

// light is an engine for months: load.Run polls twenty times a second, on a separate thread.
func light(ctx context.Context, f requester.Factory, cfg load.Config, rec load.Recorder, hooks load.Hooks) (load.Outcome, error) {
	s, run := f.(*factory).system, f.(*factory).run
	l := &link{factory: f.(*factory)}
	if err := l.Setup(ctx); err != nil {
		return load.Outcome{Left: s.left}, err
	}
	defer func() { _ = l.Teardown(ctx) }()
	start, err := hooks.Ready(ctx)
	if err != nil || !until(ctx, start) {
		return load.Outcome{Left: s.left}, cmp.Or(err, ctx.Err())
	}
	if start.IsZero() {
		start = time.Now()
	}
	hooks.Started(start)
	e := &lightRun{system: s, run: run, rec: rec, start: start, acks: rec.(load.AckRecorder)}
	out := load.Outcome{Start: start, DueTill: cfg.Schedule.Duration, Left: s.left, Acks: s.acks}
	cursor := cfg.Schedule.Cursor(schedule.Part{})
	for due, ok := cursor.Next(); ok; due, ok = cursor.Next() {
		if !until(ctx, start.Add(due)) {
			break
		}
		e.send(due)
	}
	if until(ctx, start.Add(cfg.Schedule.Duration)) {
		until(ctx, time.Now().Add(cfg.Timeout))
	} else {
		out.DueTill, out.Interrupted = time.Since(start), true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.over = true
	e.Lost = e.Due - e.Done - e.Failed
	e.ledger.Missing = e.ledger.Acked - e.ledger.Delivered
	out.Window, out.AckLedger = e.Ledger, e.ledger
	return out, nil
}

// until waits for a moment; it reports false if ctx ends before.
func until(ctx context.Context, at time.Time) bool {
	select {
	case <-time.After(time.Until(at)):
		return true
	case <-ctx.Done():
		return false
	}
}

type lightRun struct {
	*system
	load.Ledger

	ledger load.AckLedger
	run    string
	rec    load.Recorder
	acks   load.AckRecorder
	start  time.Time
	over   bool
}

func (e *lightRun) send(due time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.note(e.run)
	e.Due++
	if e.down != nil {
		e.Failed++
		e.rec.(load.TroubleRecorder).RecordFailure(0, 0)
		return
	}
	delay := e.delay(e.n)
	if delay < 0 || e.deaf {
		return
	}
	if e.system.acks {
		time.AfterFunc(delay/2, func() { e.settle(delay/2, load.Op{Due: due}, true) })
	}
	time.AfterFunc(delay, func() { e.settle(delay, load.Op{Due: due, Sent: due, Done: due + delay, Acked: e.system.acks}, false) })
}

func (e *lightRun) settle(after time.Duration, op load.Op, ack bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.over:
	case ack:
		e.ledger.Acked++
		e.acks.RecordAck(load.Ack{Due: op.Due, Acked: op.Due + after})
	default:
		e.Done++
		if op.Acked {
			e.ledger.Delivered++
		}
		e.samples = append(e.samples, sample{e.run, after})
		e.rec.Record(op)
	}
}

var errDown = errors.New("connection refused")

// config returns that of a canary in virtual time.
func config(rate schedule.Rate) load.Config {
	return load.Config{
		Schedule: schedule.Spec{Rate: rate, Duration: time.Hour}, Size: 64, Connections: 1, Timeout: 10 * time.Second, NewWaiter: load.SleepWaiter,
	}
}

func open(t *testing.T, dir string) *Folder {
	t.Helper()
	f, err := Open(dir, Identity{Schema: Schema, Target: "nats://h:4222", Shape: "1/s"})
	if err != nil {
		t.Fatal(err)
	}
	return f
}
