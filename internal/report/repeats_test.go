package report_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// repeated returns a cell whose n messages took from 1 to n units, and adds them to
// merged.
func repeated(shape plan.Shape, repeat, n int, unit time.Duration, lost int64, merged *histogram.Histogram) *results.Cell {
	h := histogram.New()
	for i := 1; i <= n; i++ {
		h.Record(time.Duration(i) * unit)
	}
	if err := merged.Merge(h); err != nil {
		panic(err)
	}
	c := cell("nats", shape, results.Ledger{Due: int64(n) + lost, Done: int64(n), Lost: lost}, time.Millisecond)
	c.Plan.Repeat = repeat
	c.ID = c.Plan.ID()
	c.Broker.Settings = nil
	c.Response = results.NewDistribution(h, lost)
	c.Judge(nil)
	return c
}

// repeats returns a run of three repeats: a good cell, one with too few messages of
// which some are lost, one with a long name of which one repeat was measured, one of
// few messages of which half are lost once, and one that was interrupted before any
// message was due.
func repeats() (results.Run, []*results.Cell, []*results.Summary) {
	var all []*results.Cell
	var list []*results.Summary
	add := func(merged *histogram.Histogram, cells ...*results.Cell) {
		all = append(all, cells...)
		list = append(list, results.NewSummary(cells, merged))
	}
	h, shape := histogram.New(), plan.Shape{Rate: 20_000, Size: 1024, Connections: 25}
	add(h, repeated(shape, 1, 20_000, 90*time.Nanosecond, 0, h), repeated(shape, 2, 20_000, 123*time.Nanosecond, 0, h), repeated(shape, 3, 20_000, 100*time.Nanosecond, 0, h))
	h, shape = histogram.New(), plan.Shape{Rate: 100, Size: 1 << 20, Connections: 1, InFlight: 1}
	add(h, repeated(shape, 1, 1000, time.Millisecond, 0, h), repeated(shape, 2, 1000, 12*time.Millisecond, 20, h), repeated(shape, 3, 1000, 2*time.Millisecond, 1, h))
	list[1].Verdict = results.Invalid
	h, shape = histogram.New(), plan.Shape{Rate: 333_333, Size: 256, Connections: 7, Arrivals: schedule.Burst(1000)}
	add(h, repeated(shape, 2, 3000, time.Microsecond, 0, h))
	h, shape.Connections = histogram.New(), 9
	add(h, repeated(shape, 1, 20, time.Millisecond, 0, h), repeated(shape, 2, 20, time.Millisecond, 20, h))
	h, shape.Connections = histogram.New(), 8
	add(h, repeated(shape, 1, 0, time.Microsecond, 0, h))
	run := results.Run{Name: "repeats", Plan: plan.Plan{Repeat: 3}}
	for _, c := range all {
		run.Cells = append(run.Cells, results.Entry{ID: c.ID, Verdict: c.Verdict})
	}
	return run, all, list
}

func TestRunOfRepeats(t *testing.T) {
	run, cells, list := repeats()
	d := report.Run(run, cells, list, true)
	text := written(t, d, document.Text)
	golden.Check(t, "repeats.txt", text)
	wantNarrow(t, text)
	if strings.Contains(text, "~?") {
		t.Error("an unknown value is marked as one that is known")
	}
	var back struct{ Summaries []results.Summary }
	if err := json.Unmarshal([]byte(written(t, d, document.JSON)), &back); err != nil || len(back.Summaries) != 5 {
		t.Fatalf("%d summaries, %v", len(back.Summaries), err)
	}
	for i, s := range back.Summaries {
		if s.Schema != results.SummarySchema || s.Ledger != list[i].Ledger || len(s.Spreads) != len(results.Percentiles()) {
			t.Errorf("%+v came back as %+v", list[i], s)
		}
	}
}
