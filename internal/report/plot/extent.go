package plot

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/input"
)

// axesOf returns axes that hold all of the curves.
func axesOf(curves []input.Curve, times Axis) (x, y axis, err error) {
	last, values := 0.0, newExtent()
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
	y, err = values.axis(times)
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
