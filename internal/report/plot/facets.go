package plot

import (
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/palette"
)

// Small panels beside each other, which share their axes.
const (
	facetColumns = 3
	facetHeight  = 90 // in pixels
	rateHeight   = 190
)

// timeFacet is the panel of a series: its p99.
func timeFacet(s input.Series, x, y axis, targets *palette.Targets, k inks) panel {
	p99 := timeLines(k.hue(targets.Hue(s.Target)))[1]
	return panel{name: s.Name, yTitle: "ms", x: x, y: y, height: facetHeight, marks: append(
		stepped(levelsOf(s.Spans, p99.least, p99.value), p99.style), moments(s.Events, x, y, k)...)}
}

// rateFacets draws p99 in a panel for each shape, all like body, and names each line at its end. A
// single panel keeps its height.
func rateFacets(ladders []input.Ladder, body panel, o Options) (panels []panel, columns int) {
	shapeOf := func(l input.Ladder) string { return strings.TrimSpace(strings.TrimPrefix(l.Name, l.Target)) }
	targets, k := palette.NewTargets(o.Targets), inksOf(o.Theme)
	shapes := group.By(ladders, shapeOf)
	columns = min(facetColumns-1, len(shapes))
	for _, of := range shapes {
		facet := body
		facet.name = shapeOf(of[0])
		if len(shapes) > 1 {
			facet.yTitle, facet.height = "ms", rateHeight
		}
		for _, l := range of {
			style := k.stroke(palette.Style{Hue: targets.Hue(l.Target)})
			facet.marks = slices.Concat(ladderBand(l, 99, style), facet.marks, ladderMarks(l, 99, style))
			if at, known := lastKnown(l, 99); known {
				facet.ends = append(facet.ends, end{l.Target, at.y, style.Color})
			}
		}
		panels = append(panels, facet)
	}
	return panels, columns
}

// lastKnown returns the last point of a ladder's line.
func lastKnown(l input.Ladder, percentile float64) (at xy, known bool) {
	for _, rung := range slices.Backward(l.Rungs) {
		if at, known = rungPoint(rung, percentile); known {
			return at, true
		}
	}
	return at, false
}
