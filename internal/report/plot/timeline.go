package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot/vg/draw"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/palette"
)

// maxTimelines is how many timelines fit in a chart, and mostDetailed how many of them have three
// lines and their hiccups.
const (
	maxTimelines = 60
	mostDetailed = 4
)

// Timeline draws p50, p99 and maximum of each interval, with a line at each event.
// Each series has a panel, and one below for the longest hiccups of the same time.
// Of more than four series it draws p99 alone, in small panels beside each other.
// All panels share their axes.
func Timeline(all []input.Series, subtitle string, o Options) (*Chart, error) {
	if len(all) > maxTimelines {
		return nil, fmt.Errorf("%w: %d timelines: at most %d fit in a chart (name fewer cells or files)", input.ErrInput, len(all), maxTimelines)
	}
	lines, ticks := timeLines(inksOf(o.Theme).neutral), 12
	if len(all) > mostDetailed {
		lines, ticks = lines[1:2], 4
	}
	x, y, hiccup, err := timeAxes(all, lines, ticks, o.Axis)
	if err != nil {
		return nil, err
	}
	var tags []string
	for _, s := range all {
		tags = append(tags, s.Tag)
	}
	quantity := quantityOf(tags)
	k := inksOf(o.Theme)
	p := picture{title: quantity + " over time", subtitle: subtitle, xTitle: "Time since the start of the log (s)", keys: timeKeys(all, k)}
	targets := palette.NewTargets(o.Targets)
	if len(all) > mostDetailed {
		p.title, p.columns = "p99 of "+strings.ToLower(quantity)+" over time", facetColumns
		for _, s := range all {
			p.panels = append(p.panels, timeFacet(s, x, y, targets, k))
		}
		return newChart(p, o)
	}
	var hues []int
	for _, s := range all {
		hue := targets.Hue(s.Target)
		hues = append(hues, hue)
		body := panel{name: s.Name, yTitle: quantity + " (ms)", x: x, y: y, height: 220}
		for _, l := range timeLines(k.hue(hue)) {
			body.marks = append(body.marks, stepped(levelsOf(s.Spans, l.least, l.value), l.style)...)
		}
		body.marks = append(body.marks, moments(s.Events, x, y, k)...)
		p.panels = append(p.panels, body)
		if s.Hiccups != nil {
			below := panel{yTitle: "Longest hiccup of the measuring process (ms)", x: x, y: hiccup, height: 70}
			below.marks = levels(s.Hiccups, k)
			p.panels = append(p.panels, below)
		}
	}
	for _, l := range timeLines(k.common(hues)) {
		p.names = append(p.names, entry{text: l.name, style: l.style})
	}
	return newChart(p, o)
}

// A timeLine is one of a timeline's lines.
type timeLine struct {
	name  string
	value func(input.Span) time.Duration
	least int64 // an interval with fewer samples is left out: its percentile says nothing
	style draw.LineStyle
}

// timeLines are drawn one above the other: the median last. The maximum is the palest.
func timeLines(ink ink) []timeLine {
	return []timeLine{
		{"max", func(s input.Span) time.Duration { return s.Max }, 1, dashed(ink(3), lineWidth, nil)},
		{"p99", func(s input.Span) time.Duration { return s.P99 }, histogram.MinAbove, dashed(ink(1), lineWidth, nil)},
		{"p50", func(s input.Span) time.Duration { return s.P50 }, histogram.MinAbove, dashed(ink(0), lineWidth, nil)},
	}
}

// timeAxes returns axes that hold these lines of all series, the one of time with about so many
// ticks.
func timeAxes(all []input.Series, lines []timeLine, ticks int, times Axis) (x, y, hiccup axis, err error) {
	from, to, values := math.Inf(1), 0.0, newExtent()
	for _, s := range all {
		for _, span := range s.Spans {
			from, to = math.Min(from, span.From.Seconds()), math.Max(to, span.To.Seconds())
			for _, l := range lines {
				values.add(l.value(span))
			}
		}
	}
	longest := 0.1
	for _, s := range all {
		for _, span := range s.Hiccups {
			if span.To.Seconds() > from && span.From.Seconds() < to {
				longest = math.Max(longest, millis(span.Max))
			}
		}
	}
	y, err = values.axis(times)
	return linear(from, to, ticks, false), y, linear(0, longest, 2, true), err
}

// A level is a value that lasts, in seconds.
type level struct{ from, to, value float64 }

// stepped draws a line of levels, which is broken where there is a gap.
func stepped(levels []level, style draw.LineStyle) (drawn []mark) {
	for _, run := range runs(levels) {
		drawn = append(drawn, line{edge(run), style})
	}
	return drawn
}

// edge returns the beginnings and ends of levels.
func edge(run []level) (points []xy) {
	for _, l := range run {
		points = append(points, xy{l.from, l.value}, xy{l.to, l.value})
	}
	return points
}

// levels draws the maximum of each interval as an area.
func levels(spans []input.Span, k inks) (drawn []mark) {
	for _, run := range runs(levelsOf(spans, 0, func(s input.Span) time.Duration { return s.Max })) {
		points := slices.Concat([]xy{{run[0].from, 0}}, edge(run), []xy{{run[len(run)-1].to, 0}})
		drawn = append(drawn, area{points, k.grey})
	}
	return drawn
}

// levelsOf returns a value of each interval that has at least so many samples, in
// milliseconds.
func levelsOf(spans []input.Span, least int64, value func(input.Span) time.Duration) (list []level) {
	for _, s := range spans {
		if s.Count >= least {
			list = append(list, level{s.From.Seconds(), s.To.Seconds(), millis(value(s))})
		}
	}
	return list
}

// longestSeam is how far apart intervals may be that follow each other, in seconds: a log's
// times are rounded to a millisecond.
const longestSeam = 0.0025

// runs returns the levels that follow each other without a gap.
func runs(levels []level) (found [][]level) {
	end := math.Inf(-1)
	for _, l := range levels {
		if l.from-end > longestSeam {
			found = append(found, nil)
		}
		found[len(found)-1] = append(found[len(found)-1], l)
		end = l.to
	}
	return found
}

// timeKeys explains how far the lines can be trusted.
func timeKeys(all []input.Series, k inks) (keys []entry) {
	few, bare, n := 0, 0, 0
	for _, s := range all {
		n += len(s.Spans)
		for _, span := range s.Spans {
			switch {
			case span.Count < histogram.MinAbove:
				bare++
			case span.Above < histogram.MinAbove:
				few++
			}
		}
	}
	remark := func(used bool, text string, values ...any) {
		explain(&keys, used, entry{text: fmt.Sprintf(text, values...)})
	}
	keys = append(keys, eventKeys(all, k)...)
	remark(few > 0, "p99 of %d of %d intervals: fewer than %d samples above", few, n, histogram.MinAbove)
	remark(bare > 0, "%d with fewer than %d samples: their maximum only", bare, histogram.MinAbove)
	remark(slices.ContainsFunc(all, func(s input.Series) bool { return s.Cut }), "the log's last line is incomplete and left out")
	return append(keys, verdictKeys("timeline", all)...)
}
