package input

import (
	"math"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// lastPercentile is where the largest of n samples is drawn, on an axis that has no
// end: in the middle of its share.
func lastPercentile(n int64) float64 { return 100 * (1 - 0.5/float64(n)) }

// perStep is the number of points of a line for each nine.
const perStep = 20

// lineOf returns the line of a histogram, of total samples in all.
func lineOf(h *histogram.Histogram, total int64) (points []Point) {
	if h.Count() == 0 {
		return nil
	}
	missing := total - h.Count()
	for i := 0; ; i++ {
		p := 100 * (1 - math.Pow(10, -float64(i)/perStep))
		v, above, known := h.QuantileOf(p, total)
		if !known || above == missing {
			break
		}
		points = append(points, Point{Percentile: p, Value: v, Above: above})
	}
	end := lastPercentile(h.Count()) * (float64(h.Count()) / float64(total))
	return append(points, Point{Percentile: end, Value: h.Max(), Above: missing})
}

// fromTable returns a value of a table. Tables do not name their unit; ours, wrk2's,
// tylertreat/bench's and most others have milliseconds.
func fromTable(value, scale float64) time.Duration {
	return scaled(time.Millisecond, value*scale)
}

// scaled returns a multiple of a time. More than a century counts as a century.
func scaled(v time.Duration, scale float64) time.Duration {
	const century = 100 * 365 * 24 * time.Hour
	return time.Duration(min(float64(v)*scale, float64(century)))
}

// lineOfTable returns the line of a percentile table, to which missing samples
// are added above all others. Rows that its samples cannot tell apart are left out:
// some tools print 99.9999 % of a thousand.
func lineOfTable(t histogram.Percentiles, missing int64, scale float64) (points []Point) {
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
			Percentile: row.Percentile * share, Value: fromTable(row.Value, scale), Above: total - max(rank, 1),
		})
	}
	return append(points, Point{
		Percentile: lastPercentile(t.Count) * share, Value: fromTable(t.Max, scale), Above: missing,
	})
}

// table reads a table. Its dots are the first rows at or above the percentiles that have a dot. Of is
// the distribution that a table of brokerbench is of; nil for another tool's.
func (c *Curve) table(t histogram.Percentiles, of *results.Distribution, scale float64) {
	if of == nil {
		of = new(results.Distribution)
	}
	c.Line, c.Beyond = lineOfTable(t, of.Missing, scale), of.Missing > 0
	if len(c.Line) == 0 {
		return
	}
	rest := marked()
	for _, p := range c.Line[:len(c.Line)-1] {
		passed := 0
		for passed < len(rest) && rest[passed] <= p.Percentile+1e-9 {
			passed++
		}
		if passed == 0 {
			continue
		}
		row, judged := of.At(rest[passed-1])
		p.Limited = judged && !row.Usable()
		c.Marks, rest = append(c.Marks, p), rest[passed:]
	}
	c.maximum()
}

// slowestFloor returns the floor with the highest p99 of some cells, since each cell has one of
// its own; nil if none was measured.
func slowestFloor(repeats []source.Source) (points []Point) {
	slowest := time.Duration(-1)
	for _, s := range repeats {
		if s.Cell == nil || s.Cell.Floor == nil {
			continue
		}
		d := s.Cell.Floor.Echo.Response
		row, _ := d.At(99)
		if p99, _ := row.Value(); p99 > slowest {
			slowest, points = p99, floorOf(d)
		}
	}
	return points
}

// floorOf returns the points that cell.json has of a floor.
func floorOf(d results.Distribution) (points []Point) {
	if d.Count == 0 {
		return nil
	}
	points = append(points, Point{Value: time.Duration(d.MinNS)})
	for _, row := range d.Percentiles {
		if p, known := pointOf(row); known {
			points = append(points, p)
		}
	}
	return append(points, Point{Percentile: lastPercentile(d.Count), Value: time.Duration(d.MaxNS)})
}
