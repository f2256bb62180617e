package compare_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/results"
)

// byTurns returns five runs a side that were measured by turns: one of BASE stalled, and
// four of NEW paused.
func byTurns() (base, next []compare.Trial) {
	base, next = five(1, 0.01, rate(9000), paused(0)), five(1.3, 0.01, rate(9000), paused(1))
	base[1], next[0] = made(2, 30, rate(9000), paused(0)), made(1, 1.3, rate(9000), paused(0))
	for i := range next {
		limited := next[i].Cell.Response.Percentiles
		limited[len(limited)-4].LimitedBy = []results.Code{results.CodeSteal, results.CodeHiccups, results.CodeLag}
	}
	turns(base, next, "turns")
	return base, next
}

// everything is a comparison that has one of each: all answers, methods and orders, an
// INVALID cell, missing messages, cells of one side, what differs, and gates.
func everything(t *testing.T) []*compare.Comparison {
	kafka := func(name string) func(*results.Cell) {
		return func(c *results.Cell) {
			c.Plan.Target.Name, c.Broker = "kafka", results.Broker{Product: "Kafka", Version: "4.3.1"}
			with("acks", name)(c)
		}
	}
	base := joined(three(1), three(1, rate(2000)), three(1, rate(3000)), three(1, rate(4000)), three(1, kafka("1")))
	base.Trials = append(base.Trials, withSeries(made(1, 1, rate(5000)), 12), made(1, 1, rate(6000)))
	next := joined(three(1.2), three(0.8, rate(2000)), three(1.005, rate(3000), lost(40), judged(results.Suspect)),
		three(1, rate(4000), judged(results.Invalid), lost(9000)), three(1.1, kafka("all")))
	next.Trials = append(next.Trials, withSeries(made(1, 2, rate(5000)), 12))
	next.Trials = append(next.Trials, made(1, 1, rate(7000)), made(1, 1, rate(8000)))
	turned, turnedNext := byTurns()
	rowed, rowedNext := three(1, rate(10_000)), three(1.02, rate(10_000))
	turns(rowed, rowedNext, "row")
	wide := []compare.Trial{made(1, 0.5, rate(11_000)), made(2, 2, rate(11_000))}
	base.Trials = slices.Concat(base.Trials, turned, rowed, wide, three(1, rate(12_000)))
	next.Trials = slices.Concat(next.Trials, turnedNext, rowedNext, wide, []compare.Trial{withSeries(made(1, 1.01, rate(12_000)), 12)})
	base.Dir, next.Dir = "results/before", "results/after|<b>"
	base.Run.Started = time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)
	next.Run.Environment.Kernel = "6.2"
	o := compare.Options{Force: true, FailOn: []compare.Condition{condition(t, "p99>10%"), condition(t, "max>500%"), condition(t, "p99.99>1%"), condition(t, "loss>0.1%"), condition(t, "pauses>50%"), condition(t, "pauses>9/min")}}
	second := set(three(1.001)...)
	return []*compare.Comparison{compared(t, base, next, o), compared(t, set(three(1)...), second, compare.Options{})}
}

// JSON is read back as what was written.
func TestJSON(t *testing.T) {
	list := everything(t)
	text, err := json.MarshalIndent(map[string]any{"comparisons": list}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "all.json", string(text)+"\n")
	var got struct{ Comparisons []*compare.Comparison }
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	again, err := json.MarshalIndent(map[string]any{"comparisons": got.Comparisons}, "", "  ")
	if err != nil || string(again) != string(text) {
		t.Errorf("%v: read and written again it is %s", err, again)
	}
}
