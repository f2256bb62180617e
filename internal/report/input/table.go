package input

import (
	"math"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

// fromTable returns a value of a table. Tables do not name their unit; ours, wrk2's,
// tylertreat/bench's and most others have milliseconds. More than a century counts
// as a century.
func fromTable(value float64) time.Duration {
	const century = 100 * 365 * 24 * time.Hour
	return time.Duration(math.Min(value*float64(time.Millisecond), float64(century)))
}

// lineOfTable returns the line of a percentile table, to which missing samples
// are added above all others. Rows that its samples cannot tell apart are left out:
// some tools print 99.9999 % of a thousand.
func lineOfTable(t histogram.Percentiles, missing int64) (points []Point) {
	if t.Count == 0 || len(t.Rows) == 0 {
		return nil
	}
	total := t.Count + missing
	share := float64(t.Count) / float64(total)
	for _, row := range t.Rows {
		rank := int64(math.Ceil(row.Percentile/100*float64(t.Count) - 1e-6))
		if rank >= t.Count {
			break
		}
		points = append(points, Point{
			Percentile: row.Percentile * share, Value: fromTable(row.Value), Above: total - max(rank, 1),
		})
	}
	return append(points, Point{
		Percentile: lastPercentile(t.Count) * share, Value: fromTable(t.Max), Above: missing,
	})
}

// table reads a table of another tool. Its dots are the first rows at or above the
// percentiles that have a dot.
func (c *Curve) table(t histogram.Percentiles, missing int64) {
	c.Line, c.Beyond = lineOfTable(t, missing), missing > 0
	if len(c.Line) == 0 {
		return
	}
	next := 0
	for _, p := range c.Line[:len(c.Line)-1] {
		if next < len(marked()) && p.Percentile >= marked()[next]-1e-9 {
			c.Marks = append(c.Marks, p)
			for next < len(marked()) && marked()[next] <= p.Percentile+1e-9 {
				next++
			}
		}
	}
	c.maximum()
}
