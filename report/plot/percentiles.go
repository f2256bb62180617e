package plot

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/report/palette"
	"github.com/brokerbench/brokerbench/results/source"
)

// Percentiles draws distributions, a line each, by percentile on an axis of
// nines. A dot marks 50, 90, 99, 99.9 % … and the maximum; it is hollow, and the
// line thin, where fewer than [histogram.MinAbove] samples rank above.
func Percentiles(curves []Curve, subtitle string, o Options) (*Chart, error) {
	var tags []string
	var doubts []judged
	for _, c := range curves {
		tags, doubts = append(tags, c.Tag), append(doubts, judged{c.Name, c.Verdict})
	}
	k := inksOf(o.Theme)
	quantity := quantityOf(tags)
	p := picture{
		title: quantity + " by percentile", subtitle: subtitle, xTitle: "Percentile (%)",
		keys: append(keysOf(curves, k), verdictKeys("line", doubts)...),
	}
	body := panel{yTitle: quantity + " (ms)", height: 430}
	var err error
	if body.x, body.y, err = axesOf(curves, o.Axis); err != nil {
		return nil, err
	}
	styles, err := lineStyles(curves, func(c Curve) string { return c.Target }, o)
	if err != nil {
		return nil, err
	}
	for i, c := range curves { // what is drawn later lies above
		body.marks = append(body.marks, c.confidence(styles[i], len(curves))...)
	}
	body.marks = append(body.marks, floorMarks(curves, k)...)
	for i, c := range curves {
		body.marks = append(body.marks, c.marks(styles[i])...)
		p.names = append(p.names, entry{text: c.Name, style: styles[i]})
	}
	p.panels, p.together = []panel{body}, linesEach(curves)
	return newChart(p, o)
}

// linesEach returns how many lines each target has, one behind the other: the legend
// keeps them in a row. It is 1 if targets differ in that.
func linesEach(curves []Curve) int {
	n := 0
	for n < len(curves) && curves[n].Target == curves[0].Target {
		n++
	}
	if n == len(curves) { // one target
		return 1
	}
	for i, c := range curves {
		if c.Target != curves[i/n*n].Target || len(curves)%n != 0 {
			return 1
		}
	}
	return n
}

// lineStyles returns a style for each line: the hue is the target's, and lines of one
// target differ in their dashes, then in their shade.
func lineStyles[T any](lines []T, target func(T) string, o Options) (styles []draw.LineStyle, err error) {
	chart, used, k := palette.NewChart(o.Targets), make(map[palette.Style]bool), inksOf(o.Theme)
	for _, l := range lines {
		style := chart.Line(target(l))
		if used[style] {
			return nil, fmt.Errorf("%w: of %d lines more than %d have one colour: they cannot be told apart (name fewer cells or files)", ErrInput, len(lines), palette.Lines)
		}
		used[style] = true
		styles = append(styles, k.stroke(style))
	}
	return styles, nil
}

// bandsOf says what the bands are.
func bandsOf(curves []Curve) string {
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
func xys(points []Point) (mapped []xy) {
	for _, p := range points {
		mapped = append(mapped, xy{p.Percentile, millis(p.Value)})
	}
	return mapped
}

func fewAbove(p Point) bool { return p.Above < histogram.MinAbove }

// marks returns the line and its dots.
func (c Curve) marks(style draw.LineStyle) []mark {
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
		case fewAbove(p):
			s = hollow
		}
		drawn = append(drawn, dots{xys([]Point{p}), s, style.Color})
	}
	return drawn
}

// keysOf explains the signs that are drawn, and no others.
func keysOf(curves []Curve, k inks) (keys []entry) {
	few, beyond, band, floor := false, false, false, false
	meant := bandsOf(curves)
	for _, c := range curves {
		beyond = beyond || c.Beyond
		band = band || len(c.Band) > 0
		floor = floor || len(c.Floor) > 0
		few = few || slices.ContainsFunc(c.Marks, fewAbove)
	}
	explain(&keys, band && len(curves) <= maxBands, entry{text: meant, band: veil(k.grey)})
	explain(&keys, band && len(curves) > maxBands, entry{text: "vertical bars: " + meant})
	explain(&keys, floor, floorKey(curves, k))
	explain(&keys, few, entry{text: fmt.Sprintf("fewer than %d samples above", histogram.MinAbove), dot: hollow})
	explain(&keys, beyond, entry{text: "unknown above: messages are missing", dot: cross})
	return keys
}
