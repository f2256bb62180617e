package measure

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A gate keeps the consumers of a cell from taking messages while it is shut: whoever hands
// over a reply waits, as in a consumer that hangs. Messages then wait where the system and its
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
func (f gated) New(conn int, reply requester.Reply) (requester.Requester, error) {
	return f.Factory.New(conn, func(payload []byte) {
		f.gate.pass()
		reply(payload)
	})
}

// falls are the faults that keep consumers from reading. Each has a goroutine from begin until
// its end, or until end.
type falls struct {
	gate  gate
	list  []*results.Fault
	by    []*fallen
	over  chan struct{}
	ended sync.WaitGroup
}

// newFalls returns nil if there are none.
func newFalls(faults []plan.Fault, h *harm) *falls {
	if h == nil || len(h.falls) == 0 {
		return nil
	}
	f := &falls{by: h.falls, over: make(chan struct{})}
	for _, one := range faults {
		if one.Do == plan.Fall {
			f.list = append(f.list, &results.Fault{Plan: one, Error: "the run ended before"})
		}
	}
	return f
}

// factory returns a factory whose consumers can be held up.
func (f *falls) factory(of requester.Factory) requester.Factory {
	if f == nil {
		return of
	}
	return gated{of, &f.gate}
}

// begin is called when the schedule begins.
func (f *falls) begin(start time.Time, warmup time.Duration) {
	if f == nil {
		return
	}
	for i, one := range f.list {
		f.ended.Go(func() { f.fall(one, f.by[i], start, warmup) })
	}
}

func (f *falls) fall(one *results.Fault, by *fallen, start time.Time, warmup time.Duration) {
	if !f.wait(start.Add(warmup + one.Plan.At)) {
		return
	}
	f.gate.close()
	one.BeganNS = max(int64(time.Since(start)), 1)
	one.BrokenNS, one.Error = one.BeganNS, ""
	f.wait(start.Add(warmup + one.Plan.At + one.Plan.For))
	healed := max(int64(time.Since(start)), one.BeganNS)
	by.resumed.Store(healed)
	one.HealedNS = &healed
	f.gate.open()
}

// wait waits until then, and tells whether the run went on until then.
func (f *falls) wait(then time.Time) bool {
	select {
	case <-f.over:
		return false
	case <-time.After(time.Until(then)):
		return true
	}
}

// end lets all consumers go on. It is called when no message counts any more.
func (f *falls) end() {
	if f != nil {
		close(f.over)
		f.ended.Wait()
	}
}

// fallsOf returns the faults that keep consumers from reading.
func fallsOf(faults []results.Fault) (list []*results.Fault) {
	for i := range faults {
		if faults[i].Plan.Do == plan.Fall {
			list = append(list, &faults[i])
		}
	}
	return list
}
