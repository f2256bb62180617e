//go:build linux

package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/stats"
)

// A figure is one row of the table: the median of the rounds, or the ratio of two
// medians, and its bound. A bound of 0 is none.
type figure struct {
	what            string               // behind that of its part; "" for a part of one figure
	write           func(float64) string // with its unit
	atMost, atLeast float64
}

// row returns the figure's row of the table of a part. With theirs, the row has the ratio of the
// medians.
func (f figure) row(part string, ours, theirs []float64) []string {
	value, write := median(ours), f.write
	measured, rounds := write(value), list(ours, write)
	if len(theirs) > 0 {
		measured = fmt.Sprintf("(%s over %s)", measured, write(median(theirs)))
		rounds += " over " + list(theirs, write)
		value, write = value/median(theirs), ratio
		measured = write(value) + " " + measured
	}
	low, high, known := interval(ours, theirs)
	between := ""
	if known {
		between = write(low) + " – " + write(high)
	} else {
		low, high = value, value
	}
	bound, verdict := f.judge(low, high, write)
	return []string{strings.TrimSuffix(part+": "+f.what, ": "), measured, between, bound, verdict, rounds}
}

// judge judges an interval by the figure's bound.
func (f figure) judge(low, high float64, write func(float64) string) (bound, verdict string) {
	switch {
	case f.atMost > 0:
		bound, verdict = "≤ "+write(f.atMost), inside(high <= f.atMost, low <= f.atMost, "ABOVE")
	case f.atLeast > 0:
		bound, verdict = "≥ "+write(f.atLeast), inside(low >= f.atLeast, high >= f.atLeast, "BELOW")
	}
	return bound, verdict
}

func inside(all, some bool, beyond string) string {
	switch {
	case all:
		return "ok"
	case some:
		return "not decided"
	}
	return beyond
}

// leastRounds is the number of rounds that an interval needs: with three it would be useless.
const leastRounds = 5

// interval returns the 95 % interval of the mean of the values, or of the ratios of each
// round. It is unknown for few rounds, or if a value is 0.
func interval(ours, theirs []float64) (low, high float64, known bool) {
	if len(theirs) == 0 {
		theirs = slices.Repeat([]float64{1}, len(ours))
	}
	if len(ours) < leastRounds || slices.Min(ours) <= 0 || slices.Min(theirs) <= 0 {
		return 0, 0, false
	}
	s := stats.LogRatiosOf(theirs, ours)
	factor := math.Exp(s.HalfWidth(0.95))
	return s.Ratio() / factor, s.Ratio() * factor, true
}

// notMeasured is a row in place of those of a part.
func notMeasured(what, why string) []string { return []string{what, "not measured: " + why} }

func table(rows [][]string) document.Table {
	return document.Table{Head: []string{"what", "measured", "95 %", "bound", "ok?", "every round"}, Rows: rows}
}

// median returns the middle one, of an odd number of values.
func median[T float64 | time.Duration](values []T) T {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

func list(values []float64, write func(float64) string) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = write(v)
	}
	return strings.Join(words, " ")
}

func ratio(v float64) string { return fmt.Sprintf("%.2f", v) }
func thousandths(v float64) string {
	return fmt.Sprintf("%.3f", math.Round(v*1000)/1000+0) // a difference may be -0.0001: not "-0.000"
}
func perSecond(v float64) string { return fmt.Sprintf("%.0f/s", v) }
func megabytes(v float64) string { return fmt.Sprintf("%.1f MB", v/1e6) }
func count(v float64) string     { return fmt.Sprintf("%.0f", v) }
func seconds(v float64) string   { return fmt.Sprintf("%.1f s", v) }

// duration writes nanoseconds with three digits.
func duration(ns float64) string {
	unit := "s"
	for _, smaller := range []string{"ns", "µs", "ms"} {
		if ns < 999.5 {
			unit = smaller
			break
		}
		ns /= 1000
	}
	return strings.TrimSuffix(fmt.Sprintf("%#.3g", ns), ".") + " " + unit
}
