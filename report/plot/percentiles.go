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
	if len(curves) > palette.Lines {
		return nil, fmt.Errorf("%w: %d lines: only %d can be told apart (name fewer cells or files)", ErrInput, len(curves), palette.Lines)
	}
	var tags []string
	for _, c := range curves {
		tags = append(tags, c.Tag)
	}
	quantity := quantityOf(tags)
	p := picture{
		title: quantity + " by percentile", subtitle: subtitle, xTitle: "Percentile (%)",
		keys: keysOf(curves),
	}
	body := panel{yTitle: quantity + " (ms)", height: 430}
	var err error
	if body.x, body.y, err = axesOf(curves, o.Log); err != nil {
		return nil, err
	}
	styles, chart := make([]draw.LineStyle, len(curves)), palette.NewChart(o.Targets)
	for i, c := range curves { // what is drawn later lies above
		styles[i] = stroke(chart.Line(c.Target))
		body.marks = append(body.marks, c.confidence(styles[i], len(curves))...)
	}
	body.marks = append(body.marks, floorMarks(curves, styles)...)
	for i, c := range curves {
		body.marks = append(body.marks, c.marks(styles[i])...)
		p.names = append(p.names, entry{text: c.Name, style: styles[i]})
	}
	p.panels = []panel{body}
	return newChart(p, o)
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

// floorMarks draws each floor once, since cells of one shape share theirs. If there
// are a few, a floor of a single curve has the curve's colour.
func floorMarks(curves []Curve, styles []draw.LineStyle) (drawn []mark) {
	var floors [][]xy
	var owners [][]int
	for i, c := range curves {
		floor := xys(c.Floor)
		same := func(f []xy) bool { return slices.Equal(f, floor) }
		switch at := slices.IndexFunc(floors, same); {
		case len(floor) == 0:
		case at >= 0:
			owners[at] = append(owners[at], i)
		default:
			floors, owners = append(floors, floor), append(owners, []int{i})
		}
	}
	for i, floor := range floors {
		style := floorStroke()
		if n := len(floors); n > 1 && n <= maxBands && len(owners[i]) == 1 {
			style.Color = styles[owners[i][0]].Color
		}
		drawn = append(drawn, line{floor, style})
	}
	return drawn
}

// keysOf explains the signs that are drawn, and no others.
func keysOf(curves []Curve) (keys []entry) {
	few, beyond, band, floor := false, false, false, false
	for _, c := range curves {
		beyond = beyond || c.Beyond
		band = band || len(c.Band) > 0
		floor = floor || len(c.Floor) > 0
		few = few || slices.ContainsFunc(c.Marks, fewAbove)
	}
	explain(&keys, band && len(curves) <= maxBands, entry{text: "95 % confidence", band: veil(grey())})
	explain(&keys, band && len(curves) > maxBands, entry{text: "vertical bars: 95 % confidence"})
	explain(&keys, floor, entry{text: "floor: a TCP echo in place of the broker", style: floorStroke()})
	explain(&keys, few, entry{text: fmt.Sprintf("fewer than %d samples above", histogram.MinAbove), dot: hollow})
	explain(&keys, beyond, entry{text: "unknown above: messages are missing", dot: cross})
	return keys
}
