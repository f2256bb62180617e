package plot

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/palette"
	"github.com/brokerbench/brokerbench/results"
)

// ratePercentiles are those to draw by rate.
func ratePercentiles() []float64 { return []float64{50, 99, 99.9} }

// mostFamilies is how many ladders have a line for each of ratePercentiles.
const mostFamilies = 2

// Rate draws p50, p99 and p99.9 of response times by the rate that was due; of
// several repeats those of all messages together. Of more than two ladders it draws p99 alone,
// in a panel for each shape, with the names of targets at their lines. A percentile that missing
// messages make unknown is not drawn. A dot is hollow where a percentile is of limited use; a bar
// is the 95 % confidence, or of repeats the lowest to the highest.
func Rate(ladders []input.Ladder, subtitle string, o Options) (*Chart, error) {
	drawn := ratePercentiles()
	if len(ladders) > mostFamilies {
		drawn = []float64{99}
	}
	x, y, err := rateAxes(ladders, drawn, o.Axis)
	if err != nil {
		return nil, err
	}
	p := picture{title: "Response time by rate", subtitle: subtitle, xTitle: "Rate (messages/s that were due)"}
	body := panel{yTitle: "Response time (ms)", x: x, y: y, height: 430}
	if len(ladders) > mostFamilies {
		p.title = "p99 of response time by rate"
		p.panels, p.columns = rateFacets(ladders, body, o)
	} else {
		body.marks, p.names = rateFamilies(ladders, o)
		p.panels = []panel{body}
	}
	p.keys = append(rateKeys(ladders, drawn), verdictKeys("cell", judgedOf(ladders))...)
	return newChart(p, o)
}

// rateFamilies draws each of ratePercentiles: percentiles differ in their shade, the ladders of a
// target in their dashes.
func rateFamilies(ladders []input.Ladder, o Options) (marks []mark, names []entry) {
	chart, k := palette.NewChart(o.Targets), inksOf(o.Theme)
	var bands []mark
	for _, l := range ladders {
		for i, s := range chart.Family(l.Target, len(ratePercentiles())) {
			percentile, style := ratePercentiles()[i], k.stroke(s)
			if percentile == 99 {
				bands = append(bands, ladderBand(l, percentile, style)...)
			}
			marks = append(marks, ladderMarks(l, percentile, style)...)
			names = append(names, entry{text: fmt.Sprintf("%s p%v", l.Name, percentile), style: style})
		}
	}
	return append(bands, marks...), names
}

// ladderMarks returns the line of a percentile, broken where it is unknown, with its dots and
// bars.
func ladderMarks(l input.Ladder, percentile float64, style draw.LineStyle) (drawn []mark) {
	var points []xy
	var signs []mark
	for _, rung := range l.Rungs {
		p, known := rungPoint(rung, percentile)
		if !known {
			drawn, points = append(drawn, line{points, style}), nil
			continue
		}
		points = append(points, p)
		if low, high, known := rung.Bounds(percentile); known {
			signs = append(signs, bar(p.x, low, high, style))
		}
		signs = append(signs, dots{[]xy{p}, rungShape(rung, percentile), style.Color})
	}
	return append(append(drawn, line{points, style}), signs...)
}

// ladderBand returns the areas between the lowest and the highest repeat of rates that follow
// each other.
func ladderBand(l input.Ladder, percentile float64, style draw.LineStyle) (drawn []mark) {
	var upper, lower []xy
	end := func() {
		slices.Reverse(lower)
		if len(upper) > 1 {
			drawn = append(drawn, area{slices.Concat(upper, lower), veil(style.Color)})
		}
		upper, lower = nil, nil
	}
	for _, rung := range l.Rungs {
		low, high, known := rung.Bounds(percentile)
		if len(rung.Cells) < 2 || !known {
			end()
			continue
		}
		x := float64(rung.Rate)
		upper, lower = append(upper, xy{x, millis(high)}), append(lower, xy{x, millis(low)})
	}
	end()
	return drawn
}

// rungPoint returns where a percentile is drawn, if it is known.
func rungPoint(r input.Rung, percentile float64) (at xy, known bool) {
	row, _ := r.Response.At(percentile)
	v, known := row.Value()
	return xy{float64(r.Rate), millis(v)}, known
}

// rungShape returns the sign that says how far a percentile can be trusted.
func rungShape(r input.Rung, percentile float64) shape {
	switch {
	case r.Verdict == results.Invalid:
		return cross
	case !r.Usable(percentile):
		return hollow
	}
	return full
}

// rateAxes returns axes that hold these percentiles of all ladders. If the rates differ much,
// theirs is logarithmic.
func rateAxes(ladders []input.Ladder, percentiles []float64, times Axis) (x, y axis, err error) {
	from, to, values := math.Inf(1), 0.0, newExtent()
	for _, l := range ladders {
		for _, rung := range l.Rungs {
			rate := float64(rung.Rate)
			from, to = math.Min(from, rate), math.Max(to, rate)
			for _, p := range percentiles {
				row, _ := rung.Response.At(p)
				if v, known := row.Value(); known {
					values.add(v)
				}
				if low, high, known := rung.Bounds(p); known {
					values.add(low, high)
				}
			}
		}
	}
	x = linear(0, to, 8, true)
	if to/from >= 8 {
		x = logarithmic(from, to)
	}
	y, err = values.axis(times)
	return x, y, err
}

// judgedOf returns the verdict of each rung.
func judgedOf(ladders []input.Ladder) (list []input.Subject) {
	for _, l := range ladders {
		for _, r := range l.Rungs {
			list = append(list, input.Subject{Name: fmt.Sprintf("%s at %v", l.Name, r.Rate), Target: l.Target, Verdict: r.Verdict})
		}
	}
	return list
}

// rateKeys explains the signs that are drawn, and no others.
func rateKeys(ladders []input.Ladder, percentiles []float64) (keys []entry) {
	var few, invalid, unknown, bars, ranges bool
	for _, l := range ladders {
		for _, r := range l.Rungs {
			for _, p := range percentiles {
				_, known := rungPoint(r, p)
				_, _, bounded := r.Bounds(p)
				unknown = unknown || !known
				bars, ranges = bars || bounded && len(r.Cells) == 1, ranges || bounded && len(r.Cells) > 1
				invalid = invalid || known && r.Verdict == results.Invalid
				few = few || known && rungShape(r, p) == hollow
			}
		}
	}
	explain(&keys, bars, entry{text: "vertical bars: 95 % confidence"})
	explain(&keys, ranges, entry{text: "repeats: all messages together, with bars from the lowest to the highest, and a band of p99"})
	explain(&keys, few, entry{text: "of limited use", dot: hollow})
	explain(&keys, invalid, entry{text: "the cell is INVALID", dot: cross})
	explain(&keys, unknown, entry{text: "no dot: unknown, messages are missing"})
	return keys
}
