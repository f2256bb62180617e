package plot_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/report/plot"
)

func TestTimeline(t *testing.T) {
	all, common := timelines(t, find(t, sample(t))[:3])
	svg := drawn(t, "timeline.svg", must(t)(plot.Timeline(all, common, plot.Options{Axis: plot.Log})))
	if n := strings.Count(svg, "Longest hiccup"); n != 2 {
		t.Errorf("%d panels of hiccups, want 2: the third cell has none", n)
	}
}
