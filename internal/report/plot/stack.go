package plot

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/palette"
	"github.com/brokerbench/brokerbench/results"
)

// Stacks draws a bar for each cell. Each probe ends at a percentile of that probe's
// distribution: percentiles of parts do not add up to that of the whole. A hollow dot is a
// percentile of limited use; a line with a cross is an unknown one.
func Stacks(stacks []input.Stack, percentile float64, subtitle string, o Options) (*Chart, error) {
	x, err := stackAxis(stacks, percentile, o.Axis)
	if err != nil {
		return nil, err
	}
	body := panel{x: x, y: axis{max: float64(len(stacks))}, height: max(stackRow*len(stacks), leastPanel)}
	targets, k := palette.NewTargets(o.Targets), inksOf(o.Theme)
	var hues []int
	for i, s := range stacks {
		y := float64(len(stacks)-i) - 0.5
		body.y.ticks = append(body.y.ticks, tick{y, shortened(s.Name)})
		hue := targets.Hue(s.Target)
		hues = append(hues, hue)
		body.marks = append(body.marks, stackMarks(s, x, y, percentile, k.hue(hue))...)
	}
	name := words.Percentile(percentile)
	p := picture{
		title: "Probes of each cell at " + name, subtitle: subtitle, panels: []panel{body},
		xTitle: fmt.Sprintf("From due to %s of each probe (ms)", name),
		names:  stackNames(stacks, k.common(hues)), keys: stackKeys(stacks, percentile, x),
	}
	return newChart(p, o)
}

// The height of a bar's row in pixels, and how much of it the bar takes.
const (
	stackRow = 26
	barShare = 0.58
)

// longestName is how many letters of a name stand beside its bar.
const longestName = 44

func shortened(name string) string {
	if runes := []rune(name); len(runes) > longestName {
		return string(runes[:longestName-1]) + "…"
	}
	return name
}

// stackAxis returns an axis that holds all ends. It is from 0, for lengths to be compared,
// unless the bars themselves are far apart.
func stackAxis(stacks []input.Stack, percentile float64, times Axis) (axis, error) {
	all, bars := newExtent(), newExtent()
	for _, s := range stacks {
		longest := time.Duration(0)
		for _, p := range s.Probes {
			if p.Count == 0 {
				continue
			}
			at, _ := p.End(percentile)
			all.add(at)
			longest = max(longest, at)
		}
		bars.add(longest)
	}
	if times == Auto {
		times = Linear
		if bars.high/AutoFactor > bars.low {
			times = Log
		}
	}
	return all.axis(times)
}

// An endOf is where the bar of a probe ends.
type endOf struct {
	input.Probe

	at    float64 // in ms
	known bool
}

// stackEnds returns the ends of the bars, the longest first: a shorter one lies on it.
func stackEnds(s input.Stack, x axis, percentile float64) (list []endOf) {
	for _, p := range s.Probes {
		if p.Count == 0 && p.Missing == 0 {
			continue
		}
		at, known := p.End(percentile)
		e := endOf{p, millis(at), known}
		if !known {
			e.at = x.max
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b endOf) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.Index, a.Index)) })
	return list
}

// stackMarks draws the bars around y.
func stackMarks(s input.Stack, x axis, y, percentile float64, ink ink) (drawn []mark) {
	low, high := y-barShare/2, y+barShare/2
	for _, e := range stackEnds(s, x, percentile) {
		color := ink(e.Index)
		switch {
		case !e.known:
			drawn = append(drawn, line{[]xy{{x.min, y}, {e.at, y}}, dashed(color, 1.2, nil)})
		case e.at > x.min:
			drawn = append(drawn, area{[]xy{{x.min, low}, {e.at, low}, {e.at, high}, {x.min, high}}, color})
		}
		switch at := []xy{{e.at, y}}; {
		case !e.known:
			drawn = append(drawn, dots{at, cross, ink(0)})
		case !e.Usable(percentile):
			drawn = append(drawn, dots{at, hollow, ink(0)})
		}
	}
	return drawn
}

// stackNames says which part of a bar is which probe.
func stackNames(stacks []input.Stack, ink ink) (names []entry) {
	means := map[string]string{
		"lag": "lag: handed to the client", "published": "published: on the socket", "ack": "acknowledged", "response": "delivered",
	}
	for i, probe := range results.Probes() {
		has := func(s input.Stack) bool {
			return slices.ContainsFunc(s.Probes, func(p input.Probe) bool { return p.Index == i })
		}
		explain(&names, slices.ContainsFunc(stacks, has), entry{text: means[probe.Tag], band: ink(i)})
	}
	return names
}

// stackKeys says what the signs mean, and what the lengths do not.
func stackKeys(stacks []input.Stack, percentile float64, x axis) (keys []entry) {
	limited, unknown := false, false
	for _, s := range stacks {
		for _, e := range stackEnds(s, x, percentile) {
			unknown = unknown || !e.known
			limited = limited || e.known && !e.Usable(percentile)
		}
	}
	keys = append(keys, entry{text: "each bar ends at " + words.Percentile(percentile) + " of one probe, from due: the part between two ends is no percentile"})
	explain(&keys, x.scale != nil, entry{text: "a length is a factor, not a time: the axis is logarithmic"})
	explain(&keys, limited, entry{text: "of limited use", dot: hollow})
	explain(&keys, unknown, entry{text: "unknown: messages are missing", dot: cross})
	return append(keys, verdictKeys("cell", stacks)...)
}
