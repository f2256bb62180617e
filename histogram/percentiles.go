package histogram

import "math"

// Percentiles is the table of a .hgrm file: a distribution at percentiles that are
// closer together the nearer they are to 100 %.
type Percentiles struct {
	Rows []PercentileRow // by ascending percentile
	// The summary at the end of the file. Values are in the unit of the file.
	Mean, StdDev, Max   float64
	Count               int64
	Buckets, SubBuckets int
	// Complete says that the file has the summary. Without it, because the writer
	// writes none or the file was cut, Max and Count are those of the last row and
	// the other numbers of the summary are 0.
	Complete bool
}

// A PercentileRow says that Percentile percent of the values are at most Value.
type PercentileRow struct {
	Value      float64 // in the unit of the file: ours, and those of most tools, are in milliseconds
	Percentile float64 // 0 to 100
	Count      int64   // values up to this one
}

// perMillisecond divides values on their way to a file.
const perMillisecond = 1e6

// ticksPerHalf is the number of rows for each halving of the distance to 100 %.
const ticksPerHalf = 5

// percentiles returns the table that Java prints for h, in milliseconds.
func (h *Histogram) percentiles() Percentiles {
	mean, deviation := h.moments()
	p := Percentiles{
		Rows: h.rows(),
		Mean: mean / perMillisecond, StdDev: deviation / perMillisecond, Count: h.Count(),
		SubBuckets: 1 << h.sub,
		Complete:   true,
	}
	p.Buckets = len(h.counts)/(p.SubBuckets/2) - 1
	if n := len(p.Rows); n > 0 {
		p.Max = p.Rows[n-1].Value
	}
	return p
}

// rows is Java's PercentileIterator. A value on which several levels fall has a row
// for each of them; the last value has two, the next level and 100 %. The library's
// own iterator differs in that, and in rounding.
func (h *Histogram) rows() []PercentileRow {
	var rows []PercentileRow
	total, seen, level := h.Count(), int64(0), 0.0
	for v, count := range h.recorded() {
		seen += count
		row := PercentileRow{Value: float64(h.highest(v)) / perMillisecond, Count: seen}
		for reached := 100 * float64(seen) / float64(total); level <= reached; level += tick(level) {
			row.Percentile = level
			rows = append(rows, row)
			if seen == total {
				row.Percentile = 100
				return append(rows, row)
			}
		}
	}
	return rows
}

// tick is the distance from one level to the next: 5 to the next halving of the
// distance to 100 %. Up to a distance of 2^-46 all of this is exact.
func tick(level float64) float64 {
	halvings := math.Ilogb(100 / (100 - level))
	return 100 / math.Ldexp(ticksPerHalf, halvings+1)
}
