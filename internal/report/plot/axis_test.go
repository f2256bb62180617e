package plot

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/input"
)

// labels returns the labels of an axis; - is a tick without one.
func labels(a axis) string {
	var texts []string
	for _, t := range a.ticks {
		if t.label == "" {
			t.label = "-"
		}
		texts = append(texts, t.label)
	}
	return strings.Join(texts, " ")
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		name     string
		axis     axis
		want     string
		min, max float64
	}{
		{"linear", linear(0, 7.3, 6, true), "0 2 4 6 8", 0, 8},
		{"exact", linear(0, 8, 4, true), "0 2 4 6 8", 0, 8},
		{"decimals", linear(0, 0.31, 6, true), "0.0 0.1 0.2 0.3 0.4", 0, 0.4},
		{"thousands", linear(0, 12_500, 6, true), "0 5,000 10,000 15,000", 0, 15_000},
		{"not rounded", linear(2, 22.002, 12, false), "2 4 6 8 10 12 14 16 18 20 22", 2, 22.002},
		{"nothing", linear(5, 5, 4, true), "5.0 5.5 6.0", 5, 6},
		{"tiny", linear(0, 1e-6, 2, true), "0.0000000 0.0000005 0.0000010", 0, 1e-6},
		{"logarithmic", logarithmic(0.3, 42), "0.2 0.5 1 2 5 10 20 50", 0.2, 50},
		{"one decade", logarithmic(1, 10), "1 2 5 10", 1, 10},
		{"many decades", logarithmic(0.001, 5000), "0.001 - - 0.01 - - 0.1 - - 1 - - 10 - - 100 - - 1,000 - -", 0.001, 5000},
		{"a single value", logarithmic(5, 5), "5 10", 5, 10},
		{"nines", nines(99.97), "0 50 90 99 99.9", 0, 99.97},
		{"at a nine", nines(99.99), "0 50 90 99 99.9 99.99", 0, 99.99},
		{"few samples", nines(50), "0 50 90", 0, 90},
	} {
		if got := labels(tt.axis); got != tt.want {
			t.Errorf("%s: ticks %s, want %s", tt.name, got, tt.want)
		}
		if math.Abs(tt.axis.min-tt.min) > 1e-12 || math.Abs(tt.axis.max-tt.max) > 1e-9*tt.max {
			t.Errorf("%s: from %v to %v, want %v to %v", tt.name, tt.axis.min, tt.axis.max, tt.min, tt.max)
		}
		values := []float64{}
		for _, tick := range tt.axis.ticks {
			values = append(values, tt.axis.at(tick.value))
		}
		if !slices.IsSorted(values) || values[0] < -1e-9 || values[len(values)-1] > 1+1e-9 {
			t.Errorf("%s: ticks lie at %v", tt.name, values)
		}
	}
}

// Every nine is as far from the one before.
func TestNinesAreEvenlySpaced(t *testing.T) {
	a := nines(percentileOf(6))
	for n, p := range []float64{0, 90, 99, 99.9, 99.99, 99.999, 99.9999} {
		if got, want := a.at(p), float64(n)/6; math.Abs(got-want) > 1e-9 {
			t.Errorf("p%v lies at %v, want %v", p, got, want)
		}
	}
}

// An axis has the nines that were asked for, or more if the curves need them.
func TestTheAxisHasTheNinesAskedFor(t *testing.T) {
	curve := input.Curve{Line: []input.Point{{Percentile: 99.97, Value: time.Millisecond}}}
	for asked, want := range map[int]float64{0: 99.97, 3: 99.97, 6: 99.9999} {
		x, _, err := axesOf([]input.Curve{curve}, Options{Nines: asked})
		if err != nil || x.max != want {
			t.Errorf("%d nines: the axis ends at %v, want %v, %v", asked, x.max, want, err)
		}
	}
}

// Nothing is at 0 on a logarithmic axis: it lies below, where it is cut off.
func TestZeroOnALogarithmicAxis(t *testing.T) {
	if at := logarithmic(0.1, 10).at(0); !(at < 0) || math.IsInf(at, 0) {
		t.Errorf("0 lies at %v", at)
	}
	e := newExtent()
	e.add(0, 0)
	for _, times := range []Axis{Auto, Log, Linear} {
		a, err := e.axis(times)
		if err != nil || !(a.max > a.min) || len(a.ticks) < 2 {
			t.Errorf("of zeros: %+v, %v", a, err)
		}
	}
}

// A linear axis would have most of what differs by a large factor on its ground.
func TestTheAxisOfTimesIsChosen(t *testing.T) {
	for _, tt := range []struct {
		low, high   time.Duration
		times       Axis
		logarithmic bool
	}{
		{time.Millisecond, 20 * time.Millisecond, Auto, false},
		{time.Millisecond, 21 * time.Millisecond, Auto, true},
		{time.Millisecond, time.Second, Linear, false},
		{time.Millisecond, 2 * time.Millisecond, Log, true},
		{0, time.Millisecond, Auto, false},
	} {
		e := newExtent()
		e.add(tt.low, tt.high)
		a, err := e.axis(tt.times)
		if err != nil || (a.scale != nil) != tt.logarithmic {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
