//go:build linux

package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// A row is one line of the table.
type row struct {
	what, measured, bound string
	verdict               string // "ok", "ABOVE", "BELOW", or "" where there is no bound
	rounds                string // the values of all rounds, by which to judge the noise
}

// A series is what the rounds measured, in their order.
type series []float64

// A format writes a value with its unit.
type format func(float64) string

// median returns the middle one, of an odd number of values.
func (s series) median() float64 { return median(s) }

func (s series) list(f format) string {
	words := make([]string, len(s))
	for i, v := range s {
		words[i] = f(v)
	}
	return strings.Join(words, " ")
}

// median returns the middle one, of an odd number of values.
func median[S ~[]T, T int | float64 | time.Duration](values S) T {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}

// unbounded is a row of a figure that has no bound.
func unbounded(what string, s series, f format) row {
	return row{what: what, measured: f(s.median()), rounds: s.list(f)}
}

// atMost is a row of a figure whose median shall be at most bound.
func atMost(what string, s series, f format, bound float64) row {
	r := unbounded(what, s, f)
	r.bound, r.verdict = "≤ "+f(bound), "ok"
	if s.median() > bound {
		r.verdict = "ABOVE"
	}
	return r
}

// atLeast is a row of a figure whose median shall be at least bound.
func atLeast(what string, s series, f format, bound float64) row {
	r := unbounded(what, s, f)
	r.bound, r.verdict = "≥ "+f(bound), "ok"
	if s.median() < bound {
		r.verdict = "BELOW"
	}
	return r
}

// over is a row of the ratio of two medians, ours over theirs.
func over(what string, ours, theirs series, f format, bound float64) row {
	r := atMost(what, series{ours.median() / theirs.median()}, ratio, bound)
	r.measured += fmt.Sprintf(" (%s over %s)", f(ours.median()), f(theirs.median()))
	r.rounds = ours.list(f) + " over " + theirs.list(f)
	return r
}

// notMeasured is a row in place of those that a part would have had.
func notMeasured(what, why string) row { return row{what: what, measured: "not measured: " + why} }

func ratio(v float64) string { return fmt.Sprintf("%.2f", v) }
func thousandths(v float64) string {
	return fmt.Sprintf("%.3f", math.Round(v*1000)/1000+0) // a difference may be -0.0001: not "-0.000"
}
func perSecond(v float64) string { return fmt.Sprintf("%.0f/s", v) }
func megabytes(v float64) string { return fmt.Sprintf("%.1f MB", v/1e6) }
func seconds(v float64) string   { return fmt.Sprintf("%.1f s", v) }

// duration writes nanoseconds with three digits.
func duration(ns float64) string {
	for _, unit := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if ns >= 0.9995*unit.ns {
			v := ns / unit.ns
			digits := 2
			for limit := 9.995; v >= limit && digits > 0; limit *= 10 {
				digits--
			}
			return fmt.Sprintf("%.*f %s", digits, v, unit.name)
		}
	}
	return fmt.Sprintf("%.0f ns", ns)
}
