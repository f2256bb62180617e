package measure

import (
	"context"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// healLimit is how long mending may take: brokers are started again.
const healLimit = 5 * time.Minute

// lastWords is how long a breaker is waited for that was told to give up: it knows what it did,
// which is lost otherwise.
const lastWords = time.Second

// faults are those of a cell: what breaks, and what keeps its consumers from reading. A nil
// faults does nothing.
type faults struct {
	planned []plan.Fault
	breaker Breaker // nil: nobody breaks anything
	falls   *falls
	giveUp  <-chan struct{}
	redact  func(string) string
	begun   bool
	broken  []results.Fault // by the breaker
}

// newFaults returns nil for a cell without faults.
func newFaults(cell plan.Cell, o Options, h *harm) *faults {
	if h == nil {
		return nil
	}
	planned := cell.Settings.Faults
	return &faults{planned: planned, breaker: o.Breaker, falls: newFalls(planned, h), giveUp: o.GiveUp, redact: o.Redact}
}

// factory returns a factory whose consumers can be held up, if the plan wants that.
func (f *faults) factory(of requester.Factory) requester.Factory {
	if f == nil {
		return of
	}
	return f.falls.factory(of)
}

// begin is called when the schedule begins.
func (f *faults) begin(of requester.Factory, start time.Time, warmup time.Duration) {
	if f == nil {
		return
	}
	f.begun = true
	f.falls.begin(start, warmup)
	if f.breaker != nil {
		f.breaker.Begin(of, start, warmup)
	}
}

// ended returns the hook for the moment when no message counts any more.
func (f *faults) ended(in *intervals) func(time.Duration) {
	return func(elapsed time.Duration) {
		if f != nil && f.begun {
			f.falls.end()
		}
		in.end(elapsed)
	}
}

// heal mends what is broken. It is called before the audit.
func (f *faults) heal() {
	if f == nil || f.breaker == nil || !f.begun {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), healLimit)
	defer cancel()
	healed := make(chan []results.Fault, 1)
	go func() { healed <- f.breaker.Heal(ctx) }()
	select {
	case f.broken = <-healed:
		return
	case <-f.giveUp:
		cancel()
	}
	select {
	case f.broken = <-healed:
	case <-time.After(lastWords): // it is left behind
	}
}

// list returns what was done, in the order of the plan. What nobody did says so.
func (f *faults) list() []results.Fault {
	if f == nil {
		return nil
	}
	list := make([]results.Fault, 0, len(f.planned))
	unknown := "nobody did it"
	if f.breaker != nil {
		unknown = "what became of it is not known, as mending did not end"
	}
	broken, fell := slices.DeleteFunc(f.broken, func(one results.Fault) bool { return one.Plan.Do == plan.Fall }), 0
	for _, p := range f.planned {
		switch {
		case p.Do == plan.Fall:
			list = append(list, *f.falls.list[fell])
			fell++
		case len(broken) > 0:
			list, broken = append(list, broken[0]), broken[1:]
		default:
			list = append(list, results.Fault{Plan: p, Error: unknown})
		}
	}
	for i := range list {
		list[i].Plan, list[i].Error = list[i].Plan.Redacted(f.redact), f.redact(list[i].Error)
	}
	return list
}
