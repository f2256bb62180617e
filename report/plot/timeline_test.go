package plot_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/report/plot"
)

func TestTimeline(t *testing.T) {
	all, common := timelines(t, find(t, sample(t))[:3])
	svg := drawn(t, "timeline.svg", must(t)(plot.Timeline(all, common, plot.Options{Axis: plot.Log})))
	wantTexts(t, svg, "Response time over time", "Time since the start of the log (s)", "nats 3000/s", "p50", "p99", "max",
		"Longest hiccup of the measuring process (ms)", "nats 3000/s 5.0 s: disconnected", "and 1 more")
	if n := strings.Count(svg, "Longest hiccup"); n != 2 {
		t.Errorf("%d panels of hiccups, want 2: the third cell has none", n)
	}
}
