package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// echoes shows, for cells whose messages an echo sent back, how long each half of the way took,
// and how long the echo held messages.
func echoes(d *document.Document, cells []*results.Cell) {
	for _, c := range cells {
		if c.Echo != nil {
			d.Say(fmt.Sprintf("%s %s %s: %s", nameOf(c, cells), c.Plan.Shape.Rate, words.Size(c.Plan.Shape.Size), echoText(c)))
		}
	}
}

func echoText(c *results.Cell) string {
	e := c.Echo
	if e.Lost != "" {
		return "two hops, and the echo was lost: " + e.Lost
	}
	text := fmt.Sprintf("two hops by an echo (%s), which had each message for %s", e.Kind, threeOf(e.Handling, 0))
	if c.Outward == nil || c.Back == nil || e.Clock == nil {
		return text + "; the way is not split: its clock is not known"
	}
	text += fmt.Sprintf("; outward, due until it had the message, %s; back, until the reply, %s",
		threeOf(*c.Outward, e.Clock.LeastNS), threeOf(*c.Back, e.Clock.LeastNS))
	for _, half := range []struct {
		name  string
		below results.BelowZero
	}{{"outward", e.Clock.Outward}, {"back", e.Clock.Back}} {
		if half.below.Count > 0 {
			text += fmt.Sprintf("; %s of %s below zero, down to %s ms",
				words.Plural(int(half.below.Count), "time"), half.name, words.Millis(time.Duration(half.below.LeastNS)))
		}
	}
	return text + " (" + e.Clock.Text() + ")"
}

// threeOf writes p50, p99 and the maximum in ms. Withheld percentiles are below least.
func threeOf(d results.Distribution, least int64) string {
	var parts []string
	for _, p := range []float64{50, 99, 100} {
		row, _ := d.At(p)
		shown := format.Value(d, p)
		if row.Withheld {
			shown = fmt.Sprintf("< 10 × bound: withheld (< %s)", words.Millis(time.Duration(least)))
		}
		parts = append(parts, words.Percentile(p)+" "+shown)
	}
	return strings.Join(parts, ", ") + " ms"
}
