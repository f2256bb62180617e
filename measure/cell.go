package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// finished is all that is known once nothing is sent or awaited any more.
type finished struct {
	load.Outcome

	audit  *audit
	faults []results.Fault
	echo   *results.Echo // nil: there was none
}

// newCell turns the outcome into a result.
func newCell(cell plan.Cell, o Options, out finished, in *intervals, around surroundings) *results.Cell {
	t := in.recording.totals
	window := max(out.DueTill-cell.Settings.Warmup, 0)
	c := &results.Cell{
		Schema: results.CellSchema, ID: o.ID, Plan: cell, Started: out.Start,
		ElapsedNS: int64(out.Elapsed), SpinNS: int64(around.spin), UsableCores: around.cores, Interrupted: out.Interrupted,
		OfferedPerS: perSecond(out.Window.Due, window),
		// From the first done to the last: long replies do not lower it, falling
		// behind does.
		ReachedPerS: perSecond(out.Window.Done, max(window, out.LastDone-out.FirstDone)),
		Ledger:      out.Window, WarmupLedger: out.Warmup, Strays: out.Strays,
		Events: events(out.Outcome, o.Redact), Failures: failures(out.Failures, o.Redact),
		Left: out.Left,
	}
	c.Plan.Target, c.Plan.Settings = cell.Target.Redacted(o.Redact), cell.Settings.Redacted(o.Redact)
	missing := out.Window.Missing()
	c.Response = results.NewDistribution(t[response], missing)
	bound(c.Response, &in.bounds.response)
	c.Service = results.NewDistribution(t[service], missing)
	bound(c.Service, &in.bounds.service)
	if t.acks() {
		c.Promises = &out.Promises
		c.Ack, c.Complete = in.bounds.acks.distributions(t, out.Outcome)
	}
	if h := t[published]; h != nil {
		d := results.NewDistribution(h, out.Window.Due-h.Count())
		c.Published = &d
	}
	c.Echo = out.echo
	in.describeOneWay(c, missing)
	c.Lag, c.Held = results.NewDistribution(t[lag], 0), results.NewDistribution(t[held], 0)
	c.HeldByOthers = out.HeldByOthers
	if out.DueTill > 0 && o.newWaiter == nil { // CPU time is real also in virtual time
		c.SenderCores = out.SendersCPU.Seconds() / out.DueTill.Seconds()
	}
	if interval, ok := correctionInterval(cell); ok {
		corrected := results.NewDistribution(t[service].Corrected(interval), missing)
		c.Corrected = &corrected
	}
	c.Pauses = in.bounds.pauses.result(c, window)
	if arrivals := cell.Shape.Arrivals; arrivals.Even() || arrivals == schedule.Poisson { // a burst has a trend of its own
		c.Steady = in.bounds.trend.steady(c.OfferedPerS)
	}
	c.Floor, c.Audit, c.Faults = o.Floor, out.audit.found(), out.faults
	in.observed.describe(c)
	in.nodes.describe(c, coresHere(c))
	c.Judge(problems(c, around))
	c.NotJudged = around.unjudged(c)
	c.JudgeSLOs()
	return c
}

func perSecond(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// correctionInterval returns the interval at which the messages of a connection
// are due. HdrHistogram back-fills with it. ok is true only with one message in
// flight, where that correction means something.
func correctionInterval(cell plan.Cell) (interval time.Duration, ok bool) {
	interval, ok = cell.Shape.Rate.After(uint64(cell.Shape.Connections))
	return interval, ok && cell.Shape.InFlight == 1 && interval > 0
}

// mostEvents bounds the events of a cell: an outage makes three on each connection.
const mostEvents = 10_000

func events(out load.Outcome, redact func(string) string) (list []results.Event) {
	for i, e := range out.Events {
		if i == mostEvents {
			more := len(out.Events) - mostEvents
			return append(list, results.Event{AtNS: int64(e.At.Sub(out.Start)), Text: words.Plural(more, "more event") + ", not kept"})
		}
		list = append(list, results.Event{AtNS: int64(e.At.Sub(out.Start)), Text: redact(e.Text)})
	}
	return list
}

func failures(causes []load.Failure, redact func(string) string) (list []load.Failure) {
	for _, f := range causes {
		f.Cause = redact(f.Cause)
		list = append(list, f)
	}
	return list
}
