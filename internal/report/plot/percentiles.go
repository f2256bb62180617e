package plot

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/palette"
	"github.com/brokerbench/brokerbench/internal/source"
)

// Percentiles draws distributions, a line each, by percentile on an axis of
// nines. A dot marks 50, 90, 99, 99.9 % … and the maximum; it is hollow, and the
// line thin, where fewer than [histogram.MinAbove] samples rank above.
func Percentiles(curves []input.Curve, subtitle string, o Options) (*Chart, error) {
	var tags, targets []string
	for _, c := range curves {
		tags, targets = append(tags, c.Tag), append(targets, c.Target)
	}
	k, quantity := inksOf(o.Theme), quantityOf(tags)
	p := picture{title: quantity + " by percentile", subtitle: subtitle, xTitle: "Percentile (%)"}
	x, y, err := axesOf(curves, o)
	if err != nil {
		return nil, err
	}
	body := panel{yTitle: quantity + " (ms)", x: x, y: y, height: 430}
	styles, err := lineStyles(targets, o)
	if err != nil {
		return nil, err
	}
	for i, c := range curves { // what is drawn later lies above
		body.marks = append(body.marks, confidence(c, styles[i], len(curves))...)
	}
	floor, floorKeys := floorMarks(curves, k)
	body.marks = append(body.marks, floor...)
	for i, c := range curves {
		body.marks = append(body.marks, curveMarks(c, styles[i])...)
		p.names = append(p.names, entry{text: c.Name, style: styles[i]})
	}
	p.panels, p.keys = []panel{body}, slices.Concat(keysOf(curves, k), floorKeys, verdictKeys("line", curves))
	return newChart(p, o)
}

// lineStyles returns a style for a line of each target: lines of one target differ in their
// dashes, then in their shade.
func lineStyles(targets []string, o Options) (styles []draw.LineStyle, err error) {
	chart, used, k := palette.NewChart(o.Targets), make(map[palette.Style]bool), inksOf(o.Theme)
	for _, target := range targets {
		style := chart.Line(target)
		if used[style] {
			return nil, fmt.Errorf("%w: of %d lines more than %d have one colour: they cannot be told apart (name fewer cells or files)", input.ErrInput, len(targets), palette.Lines)
		}
		used[style] = true
		styles = append(styles, k.stroke(style))
	}
	return styles, nil
}

// bandsOf says what the bands are.
func bandsOf(curves []input.Curve) string {
	single, most := false, 0
	for _, c := range curves {
		if len(c.Band) > 0 {
			single, most = single || c.Repeats < 2, max(most, c.Repeats)
		}
	}
	switch {
	case most < 2:
		return "95 % confidence"
	case single:
		return "95 % confidence; of repeats the lowest to the highest"
	}
	return fmt.Sprintf("lowest to highest of %d repeats; line: all of them together", most)
}

// quantityOf names what the data of these tags have in common.
func quantityOf(tags []string) string {
	for _, q := range []struct{ tag, name string }{
		{source.Response, "Response time"}, {source.Service, "Service time"}, {source.Corrected, "Corrected service time"}, {source.Hiccup, "Hiccup"},
	} {
		if !slices.ContainsFunc(tags, func(tag string) bool { return tag != q.tag }) {
			return q.name
		}
	}
	return "Latency"
}

// xys returns points of the chart.
func xys(points []input.Point) (mapped []xy) {
	for _, p := range points {
		mapped = append(mapped, xy{p.Percentile, millis(p.Value)})
	}
	return mapped
}

func fewAbove(p input.Point) bool { return p.Above < histogram.MinAbove }

// curveMarks returns the line and its dots.
func curveMarks(c input.Curve, style draw.LineStyle) []mark {
	solid := slices.IndexFunc(c.Line, fewAbove)
	if solid < 0 {
		solid = len(c.Line)
	}
	drawn := []mark{line{xys(c.Line[:solid]), style}, line{xys(c.Line[max(solid-1, 0):]), thin(style)}}
	for i, p := range c.Marks {
		s := full
		switch {
		case i == len(c.Marks)-1 && c.Beyond:
			s = cross
		case p.Limited || fewAbove(p):
			s = hollow
		}
		drawn = append(drawn, dots{xys([]input.Point{p}), s, style.Color})
	}
	return drawn
}

// keysOf explains the signs that are drawn, and no others.
func keysOf(curves []input.Curve, k inks) (keys []entry) {
	few, limited, beyond, band := false, false, false, false
	meant := bandsOf(curves)
	for _, c := range curves {
		beyond = beyond || c.Beyond
		band = band || len(c.Band) > 0
		few = few || slices.ContainsFunc(c.Marks, fewAbove)
		limited = limited || slices.ContainsFunc(c.Marks, func(p input.Point) bool { return p.Limited && !fewAbove(p) })
	}
	explain(&keys, band && len(curves) <= maxBands, entry{text: meant, band: veil(k.grey)})
	explain(&keys, band && len(curves) > maxBands, entry{text: "vertical bars: " + meant})
	explain(&keys, limited, entry{text: "of limited use", dot: hollow})
	explain(&keys, few && !limited, entry{text: fmt.Sprintf("fewer than %d samples above", histogram.MinAbove), dot: hollow})
	explain(&keys, beyond, entry{text: "unknown above: messages are missing", dot: cross})
	return keys
}

// floorMarks draws the floor that ends highest, and explains it.
func floorMarks(curves []input.Curve, k inks) (drawn []mark, keys []entry) {
	var slowest []input.Point
	of := 0
	for _, c := range curves {
		if len(c.Floor) == 0 {
			continue
		}
		if of++; slowest == nil || c.Floor[len(c.Floor)-1].Value > slowest[len(slowest)-1].Value {
			slowest = c.Floor
		}
	}
	if of == 0 {
		return nil, nil
	}
	text := "floor: a TCP echo in place of the broker"
	if of > 1 {
		text += ", the slowest"
	}
	return []mark{line{xys(slowest), k.floorStroke()}}, []entry{{text: text, style: k.floorStroke()}}
}
