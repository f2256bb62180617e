package analysis_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/merge"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// A percentile over repeats has one definition: the first screen, the probes, the curve, the line by
// rate, merge and the summary show the same values, and doubt the same ones. Repeats differ here,
// so the mean of their percentiles would be another value. The third was interrupted, and is in none.
func TestPercentilesOfRepeatsAgree(t *testing.T) {
	var cells []resultstest.Cell
	for _, rate := range []int{1000, 2000} {
		for repeat, scale := range []time.Duration{1, 5, 40} {
			all := make([][]time.Duration, 20)
			h := histogram.New()
			for s := range all {
				for i := range rate {
					v := scale * time.Microsecond * time.Duration(100+i*i%977)
					all[s] = append(all[s], v)
					h.Record(v)
				}
			}
			cells = append(cells, resultstest.Cell{Target: "nats", Rate: schedule.Rate(rate), Repeat: repeat + 1, Seconds: all, Change: func(c *results.Cell) {
				c.SetHistogram("response", h)
				c.Interrupted = repeat == 2
				var problems []results.Problem
				if repeat == 1 { // whose messages are the tail
					problems = []results.Problem{{Code: results.CodeHiccups, Limits: []results.Limit{{Series: "response", Percentiles: []float64{99}}}}}
				}
				c.Judge(problems)
			}})
		}
	}
	sources, _, err := source.Find([]string{resultstest.Write(t, "agree", cells...)})
	if err != nil {
		t.Fatal(err)
	}
	var measured []*results.Cell
	for _, s := range sources {
		measured = append(measured, s.Cell)
	}
	groups := input.Repeats(sources)
	ladders, _, _, err := input.Ladders(sources)
	if err != nil || len(groups) != 2 || len(ladders) != 1 {
		t.Fatal(len(groups), len(ladders), err)
	}
	for i, group := range groups {
		rate := group[0].Cell.Plan.Shape.Rate
		sum, curve, stack := must(merge.Add(group[:2], ""))(t), must(input.NewCurve(group, "", ""))(t), must(input.NewStack(group, ""))(t)
		for _, percentile := range []float64{50, 99, 99.9, 100} {
			want := numberAt(measured, rate, percentile)
			same := func(where string, v time.Duration, usable bool) {
				if math.Abs(float64(v)-float64(*want.NS)) > 0.001*float64(*want.NS) || usable != want.Usable {
					t.Errorf("%v, p%v: %s has %v, usable %v; the first screen %v, %v", rate, percentile, where, v, usable, time.Duration(*want.NS), want.Usable)
				}
			}
			ofRow := func(where string, d results.Distribution) {
				row, _ := d.At(percentile)
				v, _ := row.Value()
				same(where, v, row.Usable())
			}
			ofRow("merge", sum.Distribution)
			ofRow("the summary", results.NewSummary(cellsOf(group), sum.Histogram).Response)
			probe := stack.Probes[slices.IndexFunc(stack.Probes, func(p input.Probe) bool { return p.Tag == source.Response })]
			row, _ := probe.At(percentile)
			v, _ := row.Value()
			same("the stack", v, probe.Usable(percentile))
			rung := ladders[0].Rungs[i]
			row, _ = rung.Response.At(percentile)
			v, _ = row.Value()
			same("the line by rate", v, rung.Usable(percentile))
			for _, p := range curve.Marks {
				if p.Percentile == percentile || percentile == 100 && p.Above == 0 {
					same("the curve", p.Value, !p.Limited)
				}
			}
		}
	}
}

// numberAt returns what the first screen shows.
func numberAt(cells []*results.Cell, rate schedule.Rate, percentile float64) answer.Number {
	for _, shape := range answer.Of(results.Run{}, cells).Shapes {
		if shape.Shape.Rate == rate {
			n, _ := shape.Targets[0].At(percentile)
			return n
		}
	}
	return answer.Number{}
}

func cellsOf(sources []source.Source) (cells []*results.Cell) {
	for _, s := range sources {
		cells = append(cells, s.Cell)
	}
	return cells
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
