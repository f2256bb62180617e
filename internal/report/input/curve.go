package input

import (
	"cmp"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// A Curve is one distribution in a chart of [Percentiles].
type Curve struct {
	Subject

	Tag    string // what it is a distribution of; "" if unknown
	Line   []Point
	Marks  []Point // 50, 90, 99, 99.9 % … and the maximum, which is the last of both
	Band   []Point // where both ends of the confidence are known; of repeats, the lowest and the highest
	Floor  []Point // of the same shape without a broker; nil if that was not measured
	Beyond bool    // missing messages rank above the last point, so what follows is unknown

	Repeats int // how many are merged in it
}

// A Point is one percentile.
type Point struct {
	Percentile float64 // of all samples, missing ones included
	Value      time.Duration
	Low, High  time.Duration // 95 % confidence, or of repeats the lowest and the highest, in a Band
	Above      int64         // samples that rank above, missing ones included
	Limited    bool          // something besides the target is in it, or too little ranks above
}

// Median returns the median, if it is known.
func (c Curve) Median() (median time.Duration, known bool) {
	i := slices.IndexFunc(c.Line, func(p Point) bool { return p.Percentile >= 50 })
	if i < 0 {
		return 0, false
	}
	return c.Line[i].Value, true
}

// NewCurve reads the curve of a source, or of several that are repeats of each other:
// see [Repeats]. Of a cell it takes the response times, or what tag says; of a log the
// sum of the intervals with that tag; of a table everything. See [source.ChooseTag].
func NewCurve(repeats []source.Source, tag, name string) (Curve, error) {
	repeats = whole(repeats)
	s := repeats[0]
	c := Curve{Subject: subjectOf(repeats, name), Tag: cmp.Or(tag, s.Tag), Repeats: len(repeats)}
	if s.Table != nil {
		c.Tag = s.Tag // a table has only one
	} else if s.Cell != nil {
		c.Tag = cmp.Or(c.Tag, source.Response)
	}
	var err error
	switch d, ok := distributionOf(s.Cell, c.Tag); {
	case len(repeats) > 1:
		err = c.ofRepeats(repeats)
	case s.Table != nil:
		c.table(*s.Table, s.Of, s.Scale())
	case ok:
		err = c.ofCell(s, d)
	default:
		err = c.ofLog(s)
	}
	return c, err
}

// ofCell reads a distribution that the cell has as a .hgrm file.
func (c *Curve) ofCell(s source.Source, d results.Distribution) error {
	t, err := s.ReadTable(c.Tag)
	if err != nil {
		return err
	}
	c.Line, c.Beyond = lineOfTable(t, d.Missing, 1), d.Missing > 0
	if n := len(c.Line); n > 0 {
		c.Line[n-1].Value = time.Duration(d.MaxNS) // the table's is rounded
	}
	c.distribution(d)
	if c.Tag == source.Response {
		c.Floor = slowestFloor([]source.Source{s})
	}
	return nil
}

// ofLog reads the sum of a log.
func (c *Curve) ofLog(s source.Source) error {
	total, err := s.Sum(c.Tag)
	if err != nil {
		return err
	}
	h := total.Histogram()
	c.Tag, c.Line = total.Tag, lineOf(h, h.Count())
	c.distribution(results.NewDistribution(h, 0))
	for _, points := range [][]Point{c.Line, c.Marks, c.Band} {
		for i := range points {
			points[i].Value = scaled(points[i].Value, s.Scale())
		}
	}
	return nil
}

// distributionOf returns the distribution in cell.json under a tag, if the cell has
// a .hgrm of it.
func distributionOf(c *results.Cell, tag string) (results.Distribution, bool) {
	if c == nil {
		return results.Distribution{}, false
	}
	d := map[string]*results.Distribution{
		source.Response: &c.Response, source.Service: &c.Service, source.Corrected: c.Corrected, source.Ack: c.Ack,
		source.Complete: c.Complete, source.Published: c.Published, source.Outward: c.Outward, source.Back: c.Back,
	}[tag]
	if d == nil {
		return results.Distribution{}, false
	}
	return *d, true
}

// distribution adds marks and band; the end of the line is the last mark.
// Percentiles above which no sample ranks are left out: they are the maximum.
func (c *Curve) distribution(d results.Distribution) {
	for _, row := range d.Percentiles {
		p, known := pointOf(row)
		if !known {
			continue
		}
		if p.Low, p.High, known = bounds(row); known {
			c.Band = append(c.Band, p)
		}
		if slices.Contains(marked(), row.Percentile) {
			c.Marks = append(c.Marks, p)
		}
	}
	c.maximum()
}

// pointOf returns a percentile that is known and not the maximum.
func pointOf(row results.Percentile) (p Point, known bool) {
	v, known := row.Value()
	return Point{Percentile: row.Percentile, Value: v, Above: row.SamplesAbove, Limited: !row.Usable()}, known && row.SamplesAbove > 0
}

// marked are the percentiles that have a dot.
func marked() []float64 { return []float64{50, 90, 99, 99.9, 99.99, 99.999, 99.9999} }

// maximum marks the end of the line.
func (c *Curve) maximum() {
	if n := len(c.Line); n > 0 {
		c.Marks = append(c.Marks, c.Line[n-1])
	}
}

// bounds returns both ends of a confidence, if they are known.
func bounds(row results.Percentile) (low, high time.Duration, known bool) {
	if row.LowNS == nil || row.HighNS == nil {
		return 0, 0, false
	}
	return time.Duration(*row.LowNS), time.Duration(*row.HighNS), true
}
