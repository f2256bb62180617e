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

// Rate draws p50, p99 and p99.9 of response times by the rate that was due; of
// several repeats those of all messages together. It draws p99 alone if a target has more
// ladders than there are dashes. A percentile that missing messages make unknown is not
// drawn. A dot is hollow where a percentile is of limited use; a bar is the 95 %
// confidence, or of repeats the lowest to the highest.
func Rate(ladders []input.Ladder, subtitle string, o Options) (*Chart, error) {
	x, y, err := rateAxes(ladders, o.Axis)
	if err != nil {
		return nil, err
	}
	body := panel{yTitle: "Response time (ms)", x: x, y: y, height: 430}
	p := picture{title: "Response time by rate", subtitle: subtitle, xTitle: "Rate (messages/s that were due)"}
	drawn, styles, err := rateStyles(ladders, o)
	if err != nil {
		return nil, err
	}
	for i, l := range ladders {
		body.marks = append(body.marks, ladderBand(l, 99, styles[i][len(drawn)/2])...)
	}
	for i, l := range ladders {
		for j, percentile := range drawn {
			body.marks = append(body.marks, ladderMarks(l, percentile, styles[i][j])...)
			p.names = append(p.names, entry{text: fmt.Sprintf("%s p%v", l.Name, percentile), style: styles[i][j]})
		}
	}
	p.panels, p.keys = []panel{body}, append(rateKeys(ladders), verdictKeys("cell", judgedOf(ladders))...)
	return newChart(p, o)
}

// rateStyles returns which percentiles are drawn, and for each ladder the styles of
// theirs: percentiles differ in their shade, the ladders of a target in their dashes.
func rateStyles(ladders []input.Ladder, o Options) (percentiles []float64, styles [][]draw.LineStyle, err error) {
	var targets []string
	most, of := 0, make(map[string]int)
	for _, l := range ladders {
		targets = append(targets, l.Target)
		of[l.Target]++
		most = max(most, of[l.Target])
	}
	if most > palette.Families {
		single, err := lineStyles(targets, o)
		for _, s := range single {
			styles = append(styles, []draw.LineStyle{s})
		}
		return []float64{99}, styles, err
	}
	chart, k := palette.NewChart(o.Targets), inksOf(o.Theme)
	for _, l := range ladders {
		var family []draw.LineStyle
		for _, s := range chart.Family(l.Target, len(ratePercentiles())) {
			family = append(family, k.stroke(s))
		}
		styles = append(styles, family)
	}
	return ratePercentiles(), styles, nil
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

// rateAxes returns axes that hold all of the ladders. If the rates differ much,
// theirs is logarithmic.
func rateAxes(ladders []input.Ladder, times Axis) (x, y axis, err error) {
	from, to, values := math.Inf(1), 0.0, newExtent()
	for _, l := range ladders {
		for _, rung := range l.Rungs {
			rate := float64(rung.Rate)
			from, to = math.Min(from, rate), math.Max(to, rate)
			for _, p := range ratePercentiles() {
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
func rateKeys(ladders []input.Ladder) (keys []entry) {
	var few, invalid, unknown, bars, ranges bool
	for _, l := range ladders {
		for _, r := range l.Rungs {
			for _, p := range ratePercentiles() {
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
