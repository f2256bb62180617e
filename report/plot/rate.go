package plot

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"github.com/brokerbench/brokerbench/report/palette"
	"github.com/brokerbench/brokerbench/results"
)

// ratePercentiles are those to draw by rate.
func ratePercentiles() []float64 { return []float64{50, 99, 99.9} }

// Rate draws p50, p99 and p99.9 of response times by the rate that was due; of
// several repeats the middle one. A percentile that missing messages make unknown
// is not drawn. A dot is hollow where fewer than [histogram.MinAbove] samples rank
// above, and a bar is the 95 % confidence.
func Rate(ladders []Ladder, subtitle string, o Options) (*Chart, error) {
	if n := palette.Families(len(ratePercentiles())); len(ladders) > n {
		return nil, fmt.Errorf("%w: %d groups of cells: only %d can be told apart (name fewer cells)", ErrInput, len(ladders), n)
	}
	body := panel{yTitle: "Response time (ms)", height: 430}
	var err error
	if body.x, body.y, err = rateAxes(ladders, o.Log); err != nil {
		return nil, err
	}
	p := picture{title: "Response time by rate", subtitle: subtitle, xTitle: "Rate (messages/s that were due)"}
	chart := palette.NewChart(o.Targets)
	for _, l := range ladders {
		styles := chart.Family(l.Target, len(ratePercentiles()))
		for i, percentile := range ratePercentiles() {
			style := stroke(styles[i])
			body.marks = append(body.marks, l.marks(percentile, style)...)
			p.names = append(p.names, entry{text: fmt.Sprintf("%s p%v", l.Name, percentile), style: style})
		}
	}
	p.panels, p.keys = []panel{body}, append(rateKeys(ladders), verdicts(ladders)...)
	p.together = len(ratePercentiles())
	return newChart(p, o)
}

// marks returns the line of a percentile through the middle repeat of each rate,
// broken where it is unknown, with its dots and its confidence; the other repeats
// are specks.
func (l Ladder) marks(percentile float64, style draw.LineStyle) (drawn []mark) {
	var points []xy
	var signs []mark
	for _, rung := range l.rungs() {
		middle := rung.middle(percentile)
		if p, _, known := point(middle, percentile); known {
			points = append(points, p)
		} else {
			drawn, points = append(drawn, line{points, style}), nil
		}
		for _, c := range rung {
			signs = append(signs, sign(c, percentile, style, c == middle)...)
		}
	}
	return append(append(drawn, line{points, style}), signs...)
}

// point returns a cell's percentile and where it is drawn, if it is known.
func point(c *results.Cell, percentile float64) (at xy, row results.Percentile, known bool) {
	row, _ = c.Response.At(percentile)
	v, known := row.Value()
	return xy{float64(c.Plan.Shape.Rate), millis(v)}, row, known
}

// sign marks a cell's percentile, if it is known.
func sign(c *results.Cell, percentile float64, style draw.LineStyle, middle bool) (drawn []mark) {
	at, row, known := point(c, percentile)
	switch {
	case !known:
		return nil
	case !middle:
		return []mark{dots{[]xy{at}, speck, style.Color}}
	}
	if low, high, known := bounds(row); known {
		drawn = append(drawn, bar(at.x, low, high, style))
	}
	return append(drawn, dots{[]xy{at}, shapeOf(row, c), style.Color})
}

// shapeOf returns the sign that says how far a point can be trusted.
func shapeOf(row results.Percentile, c *results.Cell) shape {
	switch {
	case c.Verdict == results.Invalid:
		return cross
	case !row.Usable():
		return hollow
	}
	return full
}

// rateAxes returns axes that hold all of the ladders. If the rates differ much,
// theirs is logarithmic.
func rateAxes(ladders []Ladder, logY bool) (x, y axis, err error) {
	from, to, values := math.Inf(1), 0.0, newExtent()
	for _, l := range ladders {
		for _, c := range l.Cells {
			rate := float64(c.Plan.Shape.Rate)
			from, to = math.Min(from, rate), math.Max(to, rate)
			for _, p := range ratePercentiles() {
				row, _ := c.Response.At(p)
				if v, known := row.Value(); known {
					values.add(v)
				}
				if low, high, known := bounds(row); known {
					values.add(low, high)
				}
			}
		}
	}
	x = linear(0, to, 8, true)
	if to/from >= 8 {
		x = logarithmic(from, to)
	}
	y, err = values.axis(logY)
	return x, y, err
}
