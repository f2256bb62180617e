package compare_test

import (
	"math"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/results"
)

func TestNotComparable(t *testing.T) {
	for _, c := range []struct {
		name       string
		next       []compare.Trial
		percentile float64
		says       string
	}{
		{"INVALID", append(three(1)[:2], made(3, 1, judged(results.Invalid))), 50, "NEW repeat 3 is INVALID"},
		{"a maximum of what is INVALID", three(1, judged(results.Invalid)), 100, "NEW repeat 1 is INVALID"},
		{"missing messages", three(1, lost(2000)), 99, "NEW repeat 1: unknown, missing messages rank there"},
		{"missing messages, the maximum", three(1, lost(1)), 100, "NEW repeat 1: unknown, missing messages rank there"},
		{"few above", three(1), 99.99, "BASE: fewer than 10 messages above it"},
		{"few above, but INVALID on the other side", three(1, judged(results.Invalid)), 99.99, "NEW repeat 1 is INVALID"},
		{"no log", three(1)[:1], 50, "NEW repeat 1: no complete interval log, and no repeats"},
		{"a short log", []compare.Trial{withSeries(made(1, 1), 2)}, 50, "NEW repeat 1: fewer than 3 intervals, and no repeats"},
		{"nothing done", three(1, func(c *results.Cell) { c.Ledger = results.Ledger{Due: 1 << 40, Lost: 1 << 40} }), 50, "NEW repeat 1: unknown, missing messages rank there"},
	} {
		o := compare.Options{FailOn: []compare.Condition{condition(t, "p99.99>10%")}}
		got := row(t, compared(t, set(three(1)...), set(c.next...), o).Pairs[0], c.percentile)
		if got.Answer != compare.NotComparable || got.Reason != c.says || got.Ratio != nil || got.Low != nil || got.High != nil || got.Level != 0 {
			t.Errorf("%s: %+v, want %q", c.name, got, c.says)
		}
	}
}

// Few messages in each run are enough if they are not in all of them.
func TestFewMessagesInEachRun(t *testing.T) {
	var base, next []compare.Trial
	for i := range 9 {
		base, next = append(base, made(i+1, 1+0.001*float64(i))), append(next, made(i+1, 1.5+0.001*float64(i)))
	}
	o := compare.Options{FailOn: []compare.Condition{condition(t, "p99.99>10%")}}
	c := compared(t, set(base...), set(next...), o)
	if got := row(t, c.Pairs[0], 99.99); got.Answer != compare.Slower || c.FailOn[0].Gates[0].Result != compare.Failed {
		t.Errorf("%+v, %+v", got, c.FailOn[0].Gates[0])
	}
}

// withSeries adds so many equal intervals.
func withSeries(trial compare.Trial, intervals int) compare.Trial {
	trial.Series = new(confidence.Series)
	for range intervals {
		trial.Series.Add(lognormal(float64(trial.Cell.Response.MeanNS) / 1e6 / math.Exp(sigma*sigma/2)))
	}
	return trial
}

// Missing messages rank above all others: a percentile below them is known.
func TestMissingMessagesAboveAPercentile(t *testing.T) {
	p := compared(t, set(three(1)...), set(three(1.5, lost(30))...), compare.Options{}).Pairs[0]
	if got := row(t, p, 99); got.Answer != compare.Slower {
		t.Errorf("p99: %+v", got)
	}
	if p.New.Ledger != (results.Ledger{Due: 36_090, Done: 36_000, Lost: 90}) || p.New.MaxNS == 0 {
		t.Errorf("%+v", p.New)
	}
}

func TestMethods(t *testing.T) {
	one, other := set(withSeries(made(1, 1), 30)), set(withSeries(made(1, 1.5), 30))
	many, slow := set(three(1)...), set(three(1.5)...)
	for _, c := range []struct {
		base, next *compare.Set
		method     compare.Method
		answer     compare.Answer
	}{
		{one, other, compare.OneASide, compare.RunsHigher},
		{other, one, compare.OneASide, compare.RunsLower},
		{one, one, compare.OneASide, compare.NoDifference},
		{many, other, compare.OneAgainst, compare.Slower},
		{slow, one, compare.OneAgainst, compare.Faster},
		{many, one, compare.OneAgainst, compare.NoDifference},
		{many, slow, compare.Repeats, compare.Slower},
		{slow, many, compare.Repeats, compare.Faster},
		{many, many, compare.Repeats, compare.NoDifference},
	} {
		p := compared(t, c.base, c.next, compare.Options{}).Pairs[0]
		if got := row(t, p, 50); p.Method != c.method || got.Answer != c.answer {
			t.Errorf("%s, %+v; want %s, %s", p.Method, got, c.method, c.answer)
		}
	}
}

// An answer and its interval agree, whatever is compared: the interval excludes 1 if
// and only if the answer is slower or faster, and holds the ratio.
func TestAnswersAgreeWithIntervals(t *testing.T) {
	for _, scale := range []float64{0.5, 0.9, 0.97, 0.99, 1, 1.003, 1.02, 1.05, 1.2, 3} {
		c := compared(t, joined(three(1, rate(1)), three(1, rate(2))), joined(three(scale, rate(1)), three(1, rate(2))), compare.Options{})
		if c.Judged != 6 {
			t.Errorf("%d judged, want 6", c.Judged)
		}
		for _, p := range c.Pairs {
			for _, r := range p.Rows {
				if r.Percentile == 100 {
					continue
				}
				slower, faster := *r.Low > 1, *r.High < 1
				if slower != (r.Answer == compare.Slower) || faster != (r.Answer == compare.Faster) || !slower && !faster && r.Answer != compare.NoDifference ||
					!(*r.Low < *r.Ratio && *r.Ratio < *r.High) || r.Level < 0.95 || r.Level > 1-0.05/6 {
					t.Errorf("scale %v: %+v", scale, r)
				}
			}
		}
	}
}

// Repeats that do not differ at all are no reason to be sure below the width of a
// bucket: that was not measured.
func TestPrecision(t *testing.T) {
	same := func(v int64) []compare.Trial {
		h := histogram.New()
		for range 20_000 {
			h.Record(time.Duration(1_000_000 + v))
		}
		trials := three(1)
		for _, trial := range trials {
			trial.Cell.Response = results.NewDistribution(h, 0)
		}
		return trials
	}
	for _, c := range []struct {
		more int64
		want compare.Answer
	}{{0, compare.NoDifference}, {500, compare.NoDifference}, {5000, compare.Slower}} {
		p := compared(t, set(same(0)...), set(same(c.more)...), compare.Options{}).Pairs[0]
		if got := row(t, p, 99); got.Answer != c.want {
			t.Errorf("%d ns of 1 ms more: %+v, want %s", c.more, got, c.want)
		}
	}
}
