package plot

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/palette"
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
