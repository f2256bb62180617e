package plot

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/input"
)

// An axis maps values to positions.
type axis struct {
	min, max float64
	scale    func(float64) float64 // nil is linear
	ticks    []tick
}

// A tick without a label is only a line.
type tick struct {
	value float64
	label string
}

// at returns the position of v, from 0 at the start of the axis to 1 at its end. On
// a logarithmic axis, 0 and below lie a little before the start.
func (a axis) at(v float64) float64 {
	switch {
	case a.scale == nil:
		return (v - a.min) / (a.max - a.min)
	case v <= 0 && a.min > 0:
		return -0.01
	}
	from, to := a.scale(a.min), a.scale(a.max)
	return (a.scale(v) - from) / (to - from)
}

// linear returns an axis from min to at least max with about n ticks. It ends
// with a tick if round is true.
func linear(low, high float64, n int, round bool) axis {
	if !(high > low) {
		high = low + 1
	}
	step := niceStep((high - low) / float64(n))
	a := axis{min: low, max: high}
	if round {
		a.max = math.Ceil(high/step-1e-9) * step
	}
	for i := math.Ceil(low/step - 1e-9); i*step <= a.max*(1+1e-9); i++ {
		v := i*step + 0 // not −0
		a.ticks = append(a.ticks, tick{v, label(v, step)})
	}
	return a
}

// niceStep returns the smallest of 1, 2, 5 times a power of ten that is not below
// the given one.
func niceStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= least*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// label writes v with the decimals that multiples of step need, and with commas
// between thousands.
func label(v, step float64) string {
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(v, 'f', decimals, 64), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return whole
}

// logarithmic returns an axis that begins and ends with 1, 2 or 5 times a power
// of ten. Low is above 0.
func logarithmic(low, high float64) axis {
	a := axis{scale: math.Log10}
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	// From the last that is not above low to the first that is not below high.
	for decade := first - 1; ; decade++ {
		for _, m := range []float64{1, 2, 5} {
			t := tick{value: m * math.Pow(10, decade)}
			if m == 1 || last-first < 5 {
				t.label = label(t.value, math.Pow(10, decade))
			}
			if t.value <= low*(1+1e-9) {
				a.min, a.ticks = t.value, nil
			}
			a.ticks = append(a.ticks, t)
			if t.value >= high*(1-1e-9) && t.value > a.min {
				a.max = t.value
				return a
			}
		}
	}
}

// nines returns an axis of percentiles, 0 to the given one, on which 90, 99,
// 99.9 % are equally far from each other.
func nines(last float64) axis {
	a := axis{max: math.Max(last, 90), scale: toNines}
	a.ticks = []tick{{0, "0"}, {50, "50"}}
	for n := 1; n <= MaxNines; n++ {
		p := percentileOf(n)
		if p > a.max+1e-12 {
			break
		}
		a.ticks = append(a.ticks, tick{p, strconv.FormatFloat(p, 'f', max(0, n-2), 64)})
	}
	return a
}

// toNines returns how many nines a percentile has: 1 for 90, 2 for 99.
func toNines(percentile float64) float64 { return -math.Log10(1 - percentile/100) }

// percentileOf returns the percentile of so many nines, the double that is
// nearest to its decimal; 0 of none.
func percentileOf(n int) float64 {
	p, _ := strconv.ParseFloat(strings.Repeat("9", n)+"e"+strconv.Itoa(2-n), 64)
	return p
}

// axesOf returns axes that hold all of the curves, and as many nines as asked for.
func axesOf(curves []input.Curve, o Options) (x, y axis, err error) {
	last, values := percentileOf(o.Nines), newExtent()
	for _, c := range curves {
		for _, p := range slices.Concat(c.Line, c.Marks, c.Floor) {
			values.add(p.Value)
		}
		for _, p := range c.Line {
			last = math.Max(last, p.Percentile)
		}
		for _, p := range c.Band {
			values.add(p.Low, p.High)
		}
	}
	y, err = values.axis(o.Axis)
	return nines(last), y, err
}

// An extent is what an axis of times has to hold.
type extent struct{ low, high time.Duration }

func newExtent() extent { return extent{low: math.MaxInt64, high: -1} }

// add widens the extent. A logarithmic axis has no 0: it begins with the smallest
// time above.
func (e *extent) add(values ...time.Duration) {
	for _, v := range values {
		e.high = max(e.high, v)
		if v > 0 {
			e.low = min(e.low, v)
		}
	}
}

// axis returns an axis of milliseconds; a linear one begins at 0.
func (e extent) axis(times Axis) (axis, error) {
	high := millis(max(e.high, 1))
	switch {
	case e.high < 0:
		return axis{}, fmt.Errorf("%w: no samples", input.ErrInput)
	case times == Log, times == Auto && e.high > 0 && e.high/AutoFactor > e.low:
		return logarithmic(millis(min(e.low, max(e.high, 1))), high), nil
	}
	return linear(0, high, 6, true), nil
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
