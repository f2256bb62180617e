package impact

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A consumerPause is a fault that keeps the consumers of a cell from reading. It counts how they
// catch up.
type consumerPause struct {
	Resumed int64 // when they went on: messages due before were held up; 0: not yet
	Late    int64 // how many of these came then
	Queued  int64 // how many of these had waited for a slot
	Drained int64 // when the last of them did
	Fault   results.Fault
}

func (p *consumerPause) record(op load.Op) {
	resumed := time.Duration(atomic.LoadInt64(&p.Resumed))
	if resumed == 0 || op.Due >= resumed || op.Done < resumed {
		return
	}
	atomic.AddInt64(&p.Late, 1)
	if op.Queued {
		atomic.AddInt64(&p.Queued, 1)
	}
	raise(&p.Drained, int64(op.Done))
}

// A gate keeps the consumers of a cell from taking messages while it is shut: the goroutine that
// hands over a reply waits, as in a consumer that hangs. Messages then wait where the system and its
// client keep them. Its zero value is open.
type gate struct {
	shut atomic.Pointer[chan struct{}] // nil: open

	mu    sync.Mutex
	times int // that it was shut and not opened again
}

// pass waits until the gate is open.
func (g *gate) pass() {
	for shut := g.shut.Load(); shut != nil; shut = g.shut.Load() {
		<-*shut
	}
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.times++; g.times == 1 {
		shut := make(chan struct{})
		g.shut.Store(&shut)
	}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.times--; g.times == 0 {
		shut := *g.shut.Load()
		g.shut.Store(nil)
		close(shut)
	}
}

// gated is a factory whose consumers have a gate.
type gated struct {
	requester.Factory

	gate *gate
}

// New implements requester.Factory.
func (f gated) New(conn int, sink requester.Sink) (requester.Requester, error) {
	reply := sink.Reply
	sink.Reply = func(payload []byte) {
		f.gate.pass()
		reply(payload)
	}
	return f.Factory.New(conn, sink)
}

// Unwrap lets requester.As find what the factory can do besides.
func (f gated) Unwrap() requester.Factory { return f.Factory }

// consumers are those of this process.
type consumers struct {
	gate  gate
	here  bool          // messages go through the gate
	over  chan struct{} // closed when no message counts any more
	ended sync.WaitGroup
}

// pause pauses the consumers as the plan says.
func (c *consumers) pause(p *consumerPause, start time.Time, warmup time.Duration) {
	f := p.Fault.Plan
	if !c.wait(start.Add(warmup + f.At)) {
		return
	}
	c.gate.close()
	p.Fault.BeganNS = max(int64(time.Since(start)), 1)
	p.Fault.BrokenNS, p.Fault.Error = p.Fault.BeganNS, ""
	c.wait(start.Add(warmup + f.At + f.For))
	healed := max(int64(time.Since(start)), p.Fault.BeganNS)
	atomic.StoreInt64(&p.Resumed, healed)
	p.Fault.HealedNS = &healed
	c.gate.open()
}

// wait waits until then, and reports whether the run went on until then.
func (c *consumers) wait(then time.Time) bool {
	select {
	case <-c.over:
		return false
	case <-time.After(time.Until(then)):
		return true
	}
}
