package plot_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/plot"
)

func TestTimeline(t *testing.T) {
	all, common := timelines(t, find(t, sample(t))[:3])
	svg := drawn(t, "timeline.svg", must(t)(plot.Timeline(all, common, plot.Options{Axis: plot.Log})))
	if n := strings.Count(svg, "Longest hiccup"); n != 2 {
		t.Errorf("%d panels of hiccups, want 2: the third cell has none", n)
	}
}

// Twenty timelines fit on a screen or two: a small panel each, with p99 alone.
func TestManyTimelines(t *testing.T) {
	some, common := timelines(t, find(t, sample(t)))
	var all []input.Series
	for len(all) < 20 {
		all = append(all, some[:2]...)
	}
	chart := must(t)(plot.Timeline(all, common, plot.Options{}))
	svg := drawn(t, "timeline-20.svg", chart)
	if _, height := chart.Size(); height > 1200 {
		t.Errorf("%d pixels high", height)
	}
	if strings.Contains(svg, ">p50<") || strings.Count(svg, ">ms<") != 7 {
		t.Error("not p99 alone, or the panels are not in seven rows")
	}
}
