package results_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// repeat returns a cell of so many ops that took from 1 to n units, of which the
// missing ones have no value, and adds its histogram to merged.
func repeat(number, n int, unit time.Duration, missing int64, merged *histogram.Histogram) *results.Cell {
	h := histogram.New()
	for i := 1; i <= n; i++ {
		h.Record(time.Duration(i) * unit)
	}
	if err := merged.Merge(h); err != nil {
		panic(err)
	}
	c := &results.Cell{
		Plan:     plan.Cell{Target: plan.Target{Name: "nats"}, Shape: plan.Shape{Rate: 1, Size: 16, Connections: 1}, Repeat: number},
		Ledger:   results.Ledger{Due: int64(n) + missing, Done: int64(n), Lost: missing},
		Response: results.NewDistribution(h, missing), Verdict: results.Valid,
	}
	c.ID = c.Plan.ID()
	return c
}

func TestSummary(t *testing.T) {
	merged := histogram.New()
	cells := []*results.Cell{
		repeat(1, 1000, 4*time.Microsecond, 0, merged),
		repeat(2, 1000, time.Microsecond, 0, merged),
		repeat(3, 1000, 2*time.Microsecond, 0, merged),
	}
	cells[1].Verdict = results.Suspect
	s := results.NewSummary(cells, merged)
	if s.ID != "nats-1-16B-c1-fopen" || fmt.Sprint(s.Cells) != "[nats-1-16B-c1-fopen-r1 nats-1-16B-c1-fopen-r2 nats-1-16B-c1-fopen-r3]" {
		t.Errorf("%s of %v", s.ID, s.Cells)
	}
	if want := (results.Ledger{Due: 3000, Done: 3000}); s.Ledger != want || s.Verdict != results.Suspect || s.Plan.Repeat != 0 {
		t.Errorf("%+v, %s, %+v", s.Ledger, s.Verdict, s.Plan)
	}
	// The slowest op of each repeat: 4, 1 and 2 ms, exactly.
	wantSpread(t, s, 100, "2ms (1ms–4ms, 150 %), merged 4ms")
	// Only one op is above p99.9 of 1000, but three are above that of 3000.
	if row, _ := s.Spread(99.9); *row.MedianNS < 1_998_000 || *row.MedianNS > 2_000_000 {
		t.Errorf("p99.9 %s", describe(row))
	}
	// Of ops that take up to 1, 2 and 4 ms, n + n/2 + n/4 are not above n µs: that
	// is half of all for n = 857.
	row, _ := s.Spread(50)
	if p50, ok := s.Response.At(50); !ok || *p50.ValueNS != *row.MergedNS || *row.MergedNS < 857_000 || *row.MergedNS > 858_500 {
		t.Errorf("merged p50 %s, want 857 µs within 0.1 %%", describe(row))
	}
}

func describe(s results.Spread) string {
	ns := func(v *int64) string {
		if v == nil {
			return "?"
		}
		return time.Duration(*v).String()
	}
	variation := "?"
	if s.Variation != nil {
		variation = fmt.Sprint(*s.Variation)
	}
	return fmt.Sprintf("%s (%s–%s, %s %%), merged %s", ns(s.MedianNS), ns(s.MinNS), ns(s.MaxNS), variation, ns(s.MergedNS))
}

func wantSpread(t *testing.T, s *results.Summary, percentile float64, want string) {
	t.Helper()
	if row, ok := s.Spread(percentile); !ok || describe(row) != want {
		t.Errorf("p%v is %s, want %s", percentile, describe(row), want)
	}
}

// The values of p100 of so many repeats, in ms; 0 is unknown.
func TestMedianOfRepeats(t *testing.T) {
	for _, tt := range []struct {
		ms   []int
		want string
	}{
		{[]int{3}, "3ms (3ms–3ms, ? %), merged 3ms"},
		{[]int{5, 1}, "5ms (1ms–5ms, 80 %), merged 5ms"}, // never 3 ms
		{[]int{4, 1, 2, 5}, "4ms (1ms–5ms, 100 %), merged 5ms"},
		{[]int{4, 0, 5}, "5ms (4ms–?, ? %), merged ?"},
		{[]int{4, 0}, "? (4ms–?, ? %), merged ?"},
		{[]int{0, 0}, "? (?–?, ? %), merged ?"},
	} {
		merged := histogram.New()
		var cells []*results.Cell
		for i, ms := range tt.ms {
			c := repeat(i+1, 1, time.Duration(max(ms, 1))*time.Millisecond, 0, merged)
			if ms == 0 {
				c = repeat(i+1, 1, time.Microsecond, 1, merged)
			}
			cells = append(cells, c)
		}
		wantSpread(t, results.NewSummary(cells, merged), 100, tt.want)
	}
}

// Percentiles are those of all messages, whether or not the repeats have their histograms.
func TestPooledPercentilesAreOfTheMergedHistogram(t *testing.T) {
	merged := histogram.New()
	var cells, old []*results.Cell
	for i, unit := range []time.Duration{4000, 1000, 2000} {
		h := histogram.New()
		c := repeat(i+1, 10_000, unit, 5, h)
		earlier := *c
		old = append(old, &earlier)
		c.SetHistogram("response", h)
		cells = append(cells, c)
		if err := merged.Merge(h); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		cells []*results.Cell
		off   float64
	}{{cells, 0}, {old, 0.03}} {
		for _, row := range results.Pooled(responses(c.cells)).Percentiles[:4] {
			want, above, _ := merged.QuantileOf(row.Percentile, 30_015)
			if got := float64(*row.ValueNS) / float64(want); math.Abs(got-1) > c.off || row.SamplesAbove != above {
				t.Errorf("p%v is %.4f times that of the merged histogram, with %d above it, not %d", row.Percentile, got, row.SamplesAbove, above)
			}
		}
	}
}

func responses(cells []*results.Cell) (list []results.Distribution) {
	for _, c := range cells {
		list = append(list, c.Response)
	}
	return list
}

// 60 pauses in 20 repeats of 30 s are enough, though each repeat has but three.
func TestEventsOfAllRepeatsCount(t *testing.T) {
	merged := histogram.New()
	var cells []*results.Cell
	for i := range 20 {
		h := histogram.New()
		for j := range 3000 {
			v := time.Millisecond
			if j < 120+i%3 { // three pauses of 200 ms, and a slow spell
				v = time.Duration(j%20+1) * 10 * time.Millisecond
			}
			h.Record(v)
		}
		c := repeat(i+1, 0, 1, 0, histogram.New())
		c.Ledger, c.Response = results.Ledger{Due: 3000, Done: 3000}, results.NewDistribution(h, 0)
		c.SetHistogram("response", h)
		for j := range c.Response.Percentiles {
			if row := &c.Response.Percentiles[j]; row.Percentile >= 99 && row.Percentile < 100 {
				row.Events, row.Trusted, row.Use, row.LimitedBy = 1.5, false, results.Limited, []results.Code{results.CodeRare}
			}
		}
		cells = append(cells, c)
		if err := merged.Merge(h); err != nil {
			t.Fatal(err)
		}
	}
	row, _ := results.NewSummary(cells, merged).Response.At(99)
	if !row.Usable() || row.Events < 29 || row.LowNS == nil || row.HighNS == nil {
		t.Errorf("p99 of all repeats is %+v, want it usable", row)
	}
}

// A repeat that was interrupted before its window is listed, and judged, but has
// no percentiles.
func TestARepeatWithoutOpsHasNoPart(t *testing.T) {
	merged := histogram.New()
	empty := repeat(2, 0, 1, 0, merged)
	empty.Verdict = results.Invalid
	s := results.NewSummary([]*results.Cell{repeat(1, 1, time.Millisecond, 0, merged), empty}, merged)
	wantSpread(t, s, 100, "1ms (1ms–1ms, ? %), merged 1ms")
	if len(s.Cells) != 2 || s.Verdict != results.Invalid {
		t.Errorf("%v, %s", s.Cells, s.Verdict)
	}
	wantSpread(t, results.NewSummary([]*results.Cell{empty}, histogram.New()), 100, "? (?–?, ? %), merged ?")
}

func TestSummaryComesBack(t *testing.T) {
	store := newStore(t)
	merged := histogram.New()
	want := results.NewSummary([]*results.Cell{repeat(1, 100, time.Microsecond, 0, merged), repeat(2, 100, time.Millisecond, 3, merged)}, merged)
	if err := store.SaveSummary(want, merged); err != nil {
		t.Fatal(err)
	}
	got, err := store.Summary(want.ID)
	if err != nil || fmt.Sprint(got.Cells, got.Ledger, got.Verdict) != fmt.Sprint(want.Cells, want.Ledger, want.Verdict) {
		t.Errorf("%+v came back as %+v, %v", want, got, err)
	}
	for _, p := range results.Percentiles() {
		row, _ := want.Spread(p)
		wantSpread(t, got, p, describe(row))
	}
	text, err := os.ReadFile(filepath.Join(store.Dir(), "summary", want.ID, "merged.hgrm"))
	if err != nil || !strings.Contains(string(text), "Total count    =          200]") {
		t.Errorf("merged.hgrm: %s, %v", text, err)
	}
	if err := store.SaveSummary(want, merged); !errors.Is(err, fs.ErrExist) {
		t.Errorf("saving a summary again: %v", err)
	}
}
