package judge

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// ticked judges a window of ten seconds after a warm-up of one, with intervals that end late, and
// so many milliseconds of response in each.
func ticked(late time.Duration, response func(second int) time.Duration) *results.Steady {
	a := New(plan.Cell{Settings: plan.Settings{Warmup: time.Second, Duration: 10 * time.Second}}, calm, nil)
	for second := range 12 {
		t := record.NewHistograms()
		for range 100 {
			if d := response(second); second > 0 && d > 0 {
				t[record.Response].Record(d)
			}
		}
		from, to := time.Duration(second)*time.Second, time.Duration(second+1)*time.Second
		if second > 0 {
			from += late
		}
		a.Interval(record.Interval{From: from, To: to + late, Histograms: t}, func() {})
	}
	c := results.Cell{OfferedPerS: 1000}
	a.Describe(&c, 10*time.Second)
	return c.Steady
}

func TestLateTicksDoNotBlindTheRules(t *testing.T) {
	growing := func(second int) time.Duration { return time.Duration(second) * 9 * ms }
	for _, late := range []time.Duration{0, 20 * time.Microsecond, 3 * ms, 200 * ms} {
		if s := ticked(late, growing); s == nil || s.GrowsNSPer != 9e6 {
			t.Errorf("%v late: %+v, want a queue that grows by 9 ms a second", late, s)
		}
	}
}

func TestASecondWithoutRepliesIsLeftOut(t *testing.T) {
	s := ticked(20*time.Microsecond, func(second int) time.Duration {
		if second == 4 {
			return 0
		}
		return time.Duration(second) * 9 * ms
	})
	if s == nil || s.GrowsNSPer < 8.5e6 {
		t.Errorf("%+v, want a queue that grows", s)
	}
}

// The reason is the true one.
func TestWhySteadinessIsNotJudged(t *testing.T) {
	for arrivals, want := range map[schedule.Arrivals]string{
		schedule.Burst(10): "needs even or Poisson arrivals", schedule.Poisson: "needs replies in 6 seconds of the window", "": "needs replies in 6 seconds of the window",
	} {
		c := good()
		c.Steady, c.Plan.Shape.Arrivals = nil, arrivals
		if got := calm.lacks(results.CodeSteady, c); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want %q", arrivals, got, want)
		}
	}
}

// In virtual time the shortest waits may be 0, which is not known from none.
func TestWaitsOfZeroAreNotKnown(t *testing.T) {
	var tr trend
	for range 10 {
		h := histogram.New()
		for i := range 100 {
			h.Record(time.Duration(i/20) * ms)
		}
		tr.add(h)
	}
	if s := tr.steady(1000); s == nil || s.GrowsNSPer != 0 || s.Sure {
		t.Errorf("%+v, want a steady target", s)
	}
}
