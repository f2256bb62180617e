package input

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

// ramp is 1 to n ms.
func ramp(n int) *histogram.Histogram {
	h := histogram.New()
	for i := range n {
		h.Record(time.Duration(i+1) * time.Millisecond)
	}
	return h
}

func table(t *testing.T, h *histogram.Histogram) histogram.Percentiles {
	t.Helper()
	var text strings.Builder
	if err := histogram.WritePercentiles(&text, h); err != nil {
		t.Fatal(err)
	}
	p, err := histogram.ReadPercentiles(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A line's values are those of the ranks, counted among all messages that were due.
func TestLineOfTable(t *testing.T) {
	for _, missing := range []int64{0, 1000} {
		h := ramp(1000)
		total := h.Count() + missing
		points := lineOfTable(table(t, h), missing, 1)
		if len(points) < 40 {
			t.Fatalf("%d missing: %d points", missing, len(points))
		}
		for i, p := range points[:len(points)-1] {
			want, above, known := h.QuantileOf(p.Percentile, total)
			// A table's percentiles have twelve decimals, and may be a rank above.
			if !known || float64((p.Value-want).Abs()) > float64(1100*time.Microsecond) || above-p.Above > 1 || p.Above-above > 1 {
				t.Errorf("%d missing, point %d: p%v is %v with %d above, want %v with %d", missing, i, p.Percentile, p.Value, p.Above, want, above)
			}
		}
		end := points[len(points)-1]
		if share := float64(h.Count()) / float64(total); end.Above != missing || math.Abs(end.Percentile-99.95*share) > 1e-9 || end.Value.Round(2*time.Millisecond) != time.Second {
			t.Errorf("%d missing: the line ends with %+v", missing, end)
		}
	}
}

// Rows that a few samples cannot tell apart are left out.
func TestLineOfTableEndsWithItsSamples(t *testing.T) {
	const rows = "Value    Percentile    TotalCount    1/(1-Percentile)\n\n1 0 1 1\n2 0.5 5 2\n9 0.9 9 10\n10 0.99 10 100\n10 0.999 10 1000\n10 0.999999 10 1000000\n10 1 10 inf\n"
	p, err := histogram.ReadPercentiles(strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	points := lineOfTable(p, 0, 1)
	if end := points[len(points)-1]; len(points) != 4 || end.Percentile != 95 || end.Value != 10*time.Millisecond || end.Above != 0 {
		t.Errorf("%+v", points)
	}
	if got := lineOfTable(histogram.Percentiles{}, 3, 1); got != nil {
		t.Errorf("of an empty table: %+v", got)
	}
}

func TestLineOf(t *testing.T) {
	h := ramp(1000)
	points := lineOf(h, 2000)
	if end := points[len(points)-1]; end.Percentile <= points[len(points)-2].Percentile {
		t.Errorf("the line goes back: %+v", points[len(points)-2:])
	}
	for i, p := range points[:len(points)-1] {
		if want, above, _ := h.QuantileOf(p.Percentile, 2000); p.Value != want || p.Above != above {
			t.Errorf("point %d: %+v, want %v with %d above", i, p, want, above)
		}
	}
	for _, n := range []int{0, 1, 2} {
		if points := lineOf(ramp(n), int64(n)); len(points) > n+20 || n > 0 && points[len(points)-1].Value != time.Duration(n)*time.Millisecond {
			t.Errorf("%d values: %+v", n, points)
		}
	}
}

func TestMarksOfATable(t *testing.T) {
	var c Curve
	c.table(table(t, ramp(5000)), nil, 1)
	var got []float64
	for _, p := range c.Marks {
		got = append(got, math.Round(p.Percentile*100)/100)
	}
	// The rows at or above 50, 90, 99, 99.9 %; then the maximum.
	want := []float64{50, 90, 99.06, 99.9, 99.99}
	if len(got) != len(want) {
		t.Fatalf("marks at %v, want %v", got, want)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 0.07 {
			t.Errorf("marks at %v, want %v", got, want)
		}
	}
	if hollow, full := c.Marks[3].Above, c.Marks[2].Above; hollow >= histogram.MinAbove || full < histogram.MinAbove {
		t.Errorf("%d and %d samples above", hollow, full)
	}
}
