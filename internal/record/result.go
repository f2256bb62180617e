package record

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// Result returns the result of an engine's outcome and of the histograms of its messages.
func Result(cell plan.Cell, id string, out load.Outcome, t Histograms, redact func(string) string) *results.Cell {
	window := max(out.DueTill-cell.Settings.Warmup, 0)
	c := &results.Cell{
		Schema: results.CellSchema, ID: id, Plan: cell, Started: out.Start,
		ElapsedNS: int64(out.Elapsed), Interrupted: out.Interrupted,
		OfferedPerS: perSecond(out.Window.Due, window),
		// From the first done to the last: long replies do not lower it, falling
		// behind does.
		ReachedPerS: perSecond(out.Window.Done, max(window, out.LastDone-out.FirstDone)),
		Ledger:      out.Window, WarmupLedger: out.Warmup, Strays: out.Strays, HeldByOthers: out.HeldByOthers,
		Events: events(out, redact), Failures: failures(out.Failures, redact), Left: left(out.Left),
	}
	c.Plan.Target, c.Plan.Settings = cell.Target.Redacted(redact), cell.Settings.Redacted(redact).WithoutTimes()
	missing := out.Window.Missing()
	c.Response, c.Service = results.NewDistribution(t[Response], missing), results.NewDistribution(t[Service], missing)
	c.Lag, c.Held = results.NewDistribution(t[Lag], 0), results.NewDistribution(t[Held], 0)
	if t[Ack] != nil { // what is not acknowledged, or not complete, ranks above all values
		c.AckLedger = &out.AckLedger
		c.Ack, c.Complete = optional(t[Ack], out.Window.Due-out.AckLedger.Acked), optional(t[Complete], out.Window.Due-out.AckLedger.Delivered)
	}
	if h := t[Published]; h != nil {
		c.Published = optional(h, out.Window.Due-h.Count())
	}
	c.Sizes = sizes(cell.Shape, out, t)
	if t[First] != nil {
		owed := int64(0)
		for _, g := range out.Groups {
			owed += g.Due
		}
		c.First, c.Each = optional(t[First], out.Window.Due-t[First].Count()), optional(t[Each], owed-t[Each].Count())
	}
	c.Outward, c.Back = optional(t[Outward], missing), optional(t[Back], missing)
	if interval, ok := CorrectionInterval(cell); ok {
		c.Corrected = optional(t[Service].Corrected(interval), missing)
	}
	return c
}

// optional returns the distribution of a series that not every cell has; nil without its histogram.
func optional(h *histogram.Histogram, missing int64) *results.Distribution {
	if h == nil {
		return nil
	}
	return new(results.NewDistribution(h, missing))
}

// sizes returns the results of several sizes; nil for one.
func sizes(shape plan.Shape, out load.Outcome, t Histograms) (list []results.SizeResult) {
	for i, class := range shape.Sizes.Classes() {
		var ledger results.Ledger
		if i < len(out.Sizes) { // nothing was due otherwise
			ledger = out.Sizes[i]
		}
		of := func(series int) results.Distribution {
			return results.NewDistribution(t[OfSize(series, i)], ledger.Missing())
		}
		r := results.SizeResult{Bytes: class.Bytes, Share: class.Share(), Ledger: ledger, Response: of(Response), Service: of(Service)}
		if t[Ack] != nil {
			acked, complete := t[OfSize(Ack, i)], t[OfSize(Complete, i)]
			r.Ack, r.Complete = optional(acked, ledger.Due-acked.Count()), optional(complete, ledger.Due-complete.Count())
		}
		if t[First] != nil {
			first, each := t[OfSize(First, i)], t[OfSize(Each, i)]
			r.First, r.Each = optional(first, ledger.Due-first.Count()), optional(each, int64(len(out.Groups))*ledger.Due-each.Count())
		}
		list = append(list, r)
	}
	return list
}

// Config returns the configuration of the engine for a part of a cell.
func Config(cell plan.Cell, part schedule.Part) load.Config {
	var ends load.Sections
	for _, s := range cell.Sections() {
		ends = append(ends, WindowOf(s.Settings).To)
	}
	return load.Config{
		Sections: ends, Schedule: cell.Schedule(), Part: part, Warmup: cell.Settings.Warmup, Timeout: cell.Settings.Timeout,
		Size: cell.Shape.Largest(), Sizes: cell.Shape.Sizes, Connections: cell.Shape.Connections, InFlight: cell.Shape.InFlight, Senders: cell.Settings.Senders,
		Topology: requester.Topology(cell.Shape.Topology.Part(part)), Keys: cell.Shape.Keys,
	}
}

func perSecond(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// Limits of a cell, whose file must be small enough to be read again.
const (
	mostEvents = 10_000 // an outage makes three on each connection
	mostLeft   = 1000
	mostText   = 500 // characters of a text of a client or a broker
)

func events(out load.Outcome, redact func(string) string) (list []results.Event) {
	for i, e := range out.Events {
		if i == mostEvents {
			more := len(out.Events) - mostEvents
			return append(list, results.Event{AtNS: int64(e.At.Sub(out.Start)), Text: words.Plural(more, "more event") + ", not kept"})
		}
		list = append(list, results.Event{AtNS: int64(e.At.Sub(out.Start)), Text: words.Clip(redact(e.Text), mostText)})
	}
	return list
}

// left returns the names of leftovers. If there are too many, the last says how many more.
func left(names []string) (list []string) {
	for _, name := range names[:min(len(names), mostLeft)] {
		list = append(list, words.Clip(name, mostText))
	}
	if more := len(names) - mostLeft; more > 0 {
		list[mostLeft-1] += fmt.Sprintf(" and %d more", more)
	}
	return list
}

func failures(causes []load.Failure, redact func(string) string) (list []load.Failure) {
	for _, f := range causes {
		f.Cause = words.Clip(redact(f.Cause), mostText)
		list = append(list, f)
	}
	return list
}
