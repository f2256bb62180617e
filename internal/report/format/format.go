// Package format writes numbers and verdicts for people, the same way in every report.
//
// [Marks] are the marks of numbers.
package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/results"
)

// Value writes a percentile in ms with its mark; - if nothing was due at all.
func Value(d results.Distribution, percentile float64) string {
	row, ok := d.At(percentile)
	switch {
	case d.Count+d.Missing == 0 || !ok:
		return "-"
	case d.Missing > 0 && (percentile == 100 || row.ValueNS == nil):
		return Maximum(d.MaxNS, d.Count, d.Missing)
	}
	return Marked(row.ValueNS, row.Usable())
}

// Marked writes a time in ms with its mark; - if it is unknown.
func Marked(ns *int64, usable bool) string {
	if ns == nil || usable {
		return Millis(ns)
	}
	return Limited + Millis(ns)
}

// Values writes several percentiles in ms.
func Values(d results.Distribution, percentiles ...float64) (fields []string) {
	for _, p := range percentiles {
		fields = append(fields, Value(d, p))
	}
	return fields
}

// Interval writes the bounds of a value in ms: - if they are unknown, and ∞ if only the upper one is.
func Interval(low, high *int64) string {
	switch {
	case low == nil:
		return "-"
	case high == nil:
		return Millis(low) + "–∞"
	}
	return Millis(low) + "–" + Millis(high)
}

// Bounds is Interval, or says that the interval excludes little.
func Bounds(low, high *int64) string {
	if low != nil && high != nil && TooWide(*low, *high) {
		return Nothing
	}
	return Interval(low, high)
}

// Maximum writes the longest response in ms: ≥ if missing messages rank above.
func Maximum(ns, done, missing int64) string {
	text := words.Millis(time.Duration(ns))
	switch {
	case done == 0:
		return "-"
	case missing > 0:
		return AtLeast + text
	}
	return text
}

// Millis writes nanoseconds in ms; - if they are unknown.
func Millis(ns *int64) string {
	if ns == nil {
		return "-"
	}
	return words.Millis(time.Duration(*ns))
}

// Ledger writes how many messages are done and what became of the others:
// "970+20F+10L". The parts add up to those that were due.
func Ledger(l results.Ledger) string {
	text := fmt.Sprint(l.Done)
	for _, part := range []struct {
		n    int64
		mark string
	}{{l.Failed, "F"}, {l.Lost, "L"}, {l.Unsent, "U"}} {
		if part.n > 0 {
			text += fmt.Sprintf("+%d%s", part.n, part.mark)
		}
	}
	if len(text) > 17 {
		return fmt.Sprintf("%d/%d", l.Done, l.Due)
	}
	return text
}

// Verdict is in capitals when it is not good.
func Verdict(v results.Verdict) string {
	if v == results.Valid {
		return "valid"
	}
	return strings.ToUpper(string(v))
}

// Outcome writes the outcome of an objective.
func Outcome(o results.Outcome) string {
	switch o {
	case results.Passed:
		return "PASS"
	case results.Missed:
		return "FAIL"
	case results.Inconclusive:
	}
	return "UNDECIDED"
}

// Number writes a number with as many digits as it needs, without an exponent.
func Number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Factor writes a ratio with four digits.
func Factor(v float64) string {
	switch {
	case v < 10:
		return strconv.FormatFloat(v, 'f', 3, 64)
	case v < 100:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// Percentage writes a part of 1 with three digits, or without decimals.
func Percentage(part float64) string {
	if part >= 1 {
		return fmt.Sprintf("%.0f %%", 100*part)
	}
	return fmt.Sprintf("%.3g %%", 100*part)
}

// SaysNothing is how wide an interval is that says Nothing: neither that NEW takes not a
// tenth, nor that it takes not ten times as long.
const (
	SaysNothing = 10
	Nothing     = "inconclusive"
)

// TooWide reports whether an interval says Nothing of a value: neither that it is a tenth
// of the mean nor ten times as much is excluded.
func TooWide(low, high int64) bool { return high/SaysNothing/SaysNothing >= low }

// Times writes the ratio of pairs; - if there are none.
func Times(r stats.PairRatio) string {
	if r.Pairs == 0 {
		return "-"
	}
	return Factor(r.Ratio)
}

// mostTold is the widest interval that says anything.
const mostTold = 100

// RatioInterval writes the bounds of a ratio, or that they say Nothing.
func RatioInterval(r stats.PairRatio) string {
	switch {
	case r.Low == nil || r.High == nil:
		return "-"
	case r.Shown == 0 && *r.High / *r.Low > mostTold:
		return Nothing
	}
	return Factor(*r.Low) + "–" + Factor(*r.High)
}

// RatioColumns are the columns of a ratio in a field named Ratio.
const RatioColumns = "pairs=Ratio/Pairs aside=Ratio/Aside ratio=Ratio/Ratio low=Ratio/Low high=Ratio/High level=Ratio/Level?"

// Tally writes how often each of some answers was given: "2 passed, 1 missed".
func Tally[T ~string](counts map[T]int, order ...T) string {
	var parts []string
	for _, answer := range order {
		if counts[answer] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[answer], answer))
		}
	}
	return strings.Join(parts, ", ")
}

// AllOf writes how many there are if they are all: "both cells", "all 3 cells".
func AllOf(n int, noun string) string {
	switch n {
	case 1:
		return "the one " + noun
	case 2:
		return "both " + noun + "s"
	}
	return "all " + words.Plural(n, noun)
}

// Moment writes when a run began, in the time zone where it was measured; "" if that is unknown.
func Moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02 15:04")
}

// Seconds writes nanoseconds in seconds, with milliseconds.
func Seconds(ns int64) string {
	digits := 3
	for limit := int64(10e9); ns >= limit && digits > 0; limit *= 10 {
		digits--
	}
	return strconv.FormatFloat(float64(ns)/1e9, 'f', digits, 64)
}
