package plot

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/plot/vg/draw"

	"github.com/brokerbench/brokerbench/internal/compare/history"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/palette"
)

// historyMetrics are those that are drawn: response times.
func historyMetrics() []string { return []string{"p50", "p99", "p99.9", "max"} }

// maxHistories is how many cells fit below each other.
const maxHistories = 24

// History draws response times run after run, a panel for each cell, with a line at
// each change and the level before and after it. All panels share their x axis.
func History(h *history.History, o Options) (*Chart, error) {
	if len(h.Cells) > maxHistories {
		return nil, fmt.Errorf("%w: %d cells: at most %d fit below each other (choose some with --cell)", input.ErrInput, len(h.Cells), maxHistories)
	}
	longest, subtitle := 0, ""
	for _, c := range h.Cells {
		if len(c.Runs) > longest {
			longest = len(c.Runs)
			subtitle = fmt.Sprintf("%s to %s", c.Runs[0].Started.Format("2006-01-02"), c.Runs[longest-1].Started.Format("2006-01-02"))
		}
	}
	p := picture{title: "Response time over many runs", subtitle: subtitle, xTitle: "Run (1 is the oldest)"}
	x := linear(0, float64(longest+1), 12, false)
	targets, k := palette.NewTargets(o.Targets), inksOf(o.Theme)
	var hues []int
	changed := false
	for _, c := range h.Cells {
		y, err := historyAxis(c, o.Axis)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Title(), err)
		}
		hue := targets.Hue(c.Target)
		hues = append(hues, hue)
		body := panel{name: c.Title(), yTitle: "Response time (ms)", x: x, y: y, height: 220}
		for i, m := range drawn(c) {
			style := historyStyle(k.hue(hue), i)
			body.marks = append(body.marks, values(m, style)...)
			body.marks = append(body.marks, changes(m, y, style, k)...)
			changed = changed || len(m.Changes) > 0
		}
		p.panels = append(p.panels, body)
	}
	for i, name := range historyMetrics() {
		p.names = append(p.names, entry{text: name, style: historyStyle(k.common(hues), i), dot: full})
	}
	explain(&p.keys, changed, entry{text: "a change, with the medians before and after it", style: changeStyle(k)})
	return newChart(p, o)
}

// historyStyle is that of the i-th metric.
func historyStyle(ink ink, i int) draw.LineStyle { return dashed(ink(i), lineWidth, nil) }

func changeStyle(k inks) draw.LineStyle { return dashed(k.grey, 1, palette.Dash(2)) }

// drawn returns the metrics of a cell that are drawn.
func drawn(c history.Cell) (list []history.Metric) {
	for _, name := range historyMetrics() {
		if i := slices.IndexFunc(c.Metrics, func(m history.Metric) bool { return m.Name == name }); i >= 0 {
			list = append(list, c.Metrics[i])
		}
	}
	return list
}

// values draws a line through the runs, broken where a value is left out.
func values(m history.Metric, style draw.LineStyle) (marks []mark) {
	var points, all []xy
	for i, v := range m.Values {
		if v == nil {
			marks, points = append(marks, line{points, thin(style)}), nil
			continue
		}
		points = append(points, xy{float64(i + 1), millis(time.Duration(*v))})
		all = append(all, points[len(points)-1])
	}
	return append(marks, line{points, thin(style)}, dots{all, speck, style.Color})
}

// changes draws a line at each change, and the levels between them.
func changes(m history.Metric, y axis, style draw.LineStyle, k inks) (marks []mark) {
	from := 0.5
	for i, c := range m.Changes {
		at, to := float64(c.Run)+0.5, float64(len(m.Values))+0.5
		if i+1 < len(m.Changes) {
			to = float64(m.Changes[i+1].Run) + 0.5
		}
		before, after := millis(time.Duration(c.Before)), millis(time.Duration(c.After))
		marks = append(marks, line{[]xy{{at, y.min}, {at, y.max}}, changeStyle(k)},
			line{[]xy{{from, before}, {at, before}}, style}, line{[]xy{{at, after}, {to, after}}, style})
		from = at
	}
	return marks
}

func historyAxis(c history.Cell, times Axis) (axis, error) {
	e := newExtent()
	for _, m := range drawn(c) {
		for _, v := range m.Values {
			if v != nil && *v < math.MaxInt64 {
				e.add(time.Duration(*v))
			}
		}
	}
	return e.axis(times)
}
