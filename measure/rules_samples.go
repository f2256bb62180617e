package measure

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// shortWindow: the plan itself has too few messages for a percentile that was
// asked for.
func shortWindow(c *results.Cell) (results.Verdict, string) {
	row, found := tooFew(c)
	if !found || planned(c) >= needed(row.Percentile) {
		return "", ""
	}
	seconds := math.Ceil(needed(row.Percentile)/float64(c.Plan.Shape.Rate) - 1e-9)
	return results.Suspect, fmt.Sprintf("%s: a window of %v would do, or ask for less with --percentiles",
		above(row), time.Duration(seconds)*time.Second)
}

// fewSamples: the plan has enough messages, but too few of them came.
func fewSamples(c *results.Cell) (results.Verdict, string) {
	row, found := tooFew(c)
	if !found || planned(c) < needed(row.Percentile) {
		return "", ""
	}
	return results.Suspect, above(row) + ": do not rely on it"
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
