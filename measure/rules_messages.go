package measure

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// interrupted: what was measured is right, but it is not what was asked for.
func interrupted(c *results.Cell) (results.Verdict, string) {
	return when(c.Interrupted, results.Invalid, "interrupted: %d messages were due until then", c.Ledger.Due)
}

// empty: the schedule had no message for the window.
func empty(c *results.Cell) (results.Verdict, string) {
	text := "no message was due in the window"
	shape := c.Plan.Shape
	if gap, ok := shape.Rate.After(1); ok && gap > c.Plan.Settings.Duration && shape.Arrivals.Even() {
		text += fmt.Sprintf(": at %v a window of %v has one", shape.Rate, gap)
	}
	return when(c.Ledger.Due == 0 && !c.Interrupted, results.Invalid, "%s", text)
}

// missing: messages that are not done rank above every reply. Where they reach a
// percentile of the table, or one that was asked for, that percentile is unknown.
func missing(c *results.Cell) (results.Verdict, string) {
	l := c.Ledger
	if l.Due == 0 || l.Missing() == 0 {
		return "", ""
	}
	severity := results.Suspect
	for _, p := range slices.Concat(results.Headline(), c.Plan.Settings.Asked()) {
		if row, ok := c.Response.At(p); ok && row.ValueNS == nil {
			severity = results.Invalid
		}
	}
	text := fmt.Sprintf("%d of %d messages are missing (%.4f %%): %d failed, %d lost, %d unsent",
		l.Missing(), l.Due, 100*float64(l.Missing())/float64(l.Due), l.Failed, l.Lost, l.Unsent)
	if len(c.Failures) > 0 {
		text += "; most failed with: " + c.Failures[0].Cause
	}
	return severity, text
}

// strays: replies that belong to no message.
func strays(c *results.Cell) (results.Verdict, string) {
	s := c.Strays
	return when(s != results.Strays{}, results.Suspect, "replies that belong to no message: %d duplicate, %d foreign, %d corrupt",
		s.Duplicate, s.Foreign, s.Corrupt)
}

// noticed: connections reported something besides replies.
func noticed(c *results.Cell) (results.Verdict, string) {
	if len(c.Events) == 0 {
		return "", ""
	}
	return results.Suspect, fmt.Sprintf("%d events on the connections, the first: %s", len(c.Events), c.Events[0].Text)
}

// clamped: a histogram ends at an hour, and what is longer counts as an hour.
func clamped(c *results.Cell) (results.Verdict, string) {
	n := c.Response.Clamped + c.Service.Clamped + c.Lag.Clamped + c.Held.Clamped
	return when(n > 0, results.Invalid, "%d values were longer than an hour, the most that a histogram holds, and count as an hour", n)
}

// shortWindow: the plan itself has too few messages for a percentile that was
// asked for.
func shortWindow(c *results.Cell) (results.Verdict, string) {
	row, found := tooFew(c)
	if !found || planned(c) >= needed(row.Percentile) {
		return "", ""
	}
	seconds := math.Ceil(needed(row.Percentile) / float64(c.Plan.Shape.Rate) * (1 - 1e-12)) // 1 − 0.999 is no float
	return results.Suspect, fmt.Sprintf("%s: a window of %v would do, or ask for less with --percentiles",
		above(row), time.Duration(seconds)*time.Second)
}

// fewSamples: the plan has enough messages, but too few of them came.
func fewSamples(c *results.Cell) (results.Verdict, string) {
	row, found := tooFew(c)
	return when(found && planned(c) >= needed(row.Percentile), results.Suspect, "%s: do not rely on it", above(row))
}

// tooFew returns the highest percentile that was asked for and has too few
// messages above it: it tells which few messages came, not what the system does.
func tooFew(c *results.Cell) (row results.Percentile, found bool) {
	if c.Response.Count == 0 {
		return row, false
	}
	for _, p := range slices.Backward(slices.Sorted(slices.Values(c.Plan.Settings.Asked()))) {
		if row, listed := c.Response.At(p); listed && !row.Trusted && row.ValueNS != nil {
			return row, true
		}
	}
	return row, false
}

func above(row results.Percentile) string {
	return fmt.Sprintf("p%v has %d messages above it, fewer than %d", row.Percentile, row.SamplesAbove, histogram.MinAbove)
}

// planned returns how many messages the window is planned for.
func planned(c *results.Cell) float64 {
	return float64(c.Plan.Shape.Rate) * c.Plan.Settings.Duration.Seconds()
}

// needed returns how many messages a percentile needs.
func needed(percentile float64) float64 { return histogram.MinAbove / (1 - percentile/100) }
