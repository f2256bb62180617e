package plot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/palette"
	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// has tells whether an SVG has a line in a hue, in its first shade.
func has(svg string, hue int) bool {
	c := palette.Style{Hue: hue}.Color(palette.Light)
	return strings.Contains(svg, fmt.Sprintf("stroke:#%02X%02X%02X;", c.R, c.G, c.B))
}

// A target has the colour that the run's plan gives it, in every chart and
// whichever cells are drawn in whichever order.
func TestTargetsKeepTheirColours(t *testing.T) {
	var cells []resultstest.Cell
	for i, target := range []string{"nats", "redis", "kafka"} {
		for _, rate := range []int{100, 200} {
			cells = append(cells, resultstest.Cell{Target: target, Rate: schedule.Rate(rate), Seconds: stalled(rate, 4, 99, time.Duration(i+1)*time.Millisecond)})
		}
	}
	all := find(t, resultstest.Write(t, "three", cells...))
	file := find(t, "testdata/wrk2.txt")
	reversed := slices.Clone(all)
	slices.Reverse(reversed)
	for name, tt := range map[string]struct {
		sources []source.Source
		hues    []int
	}{
		"all": {all, []int{0, 1, 2}}, "reversed": {reversed, []int{0, 1, 2}}, "two": {all[2:], []int{1, 2}}, "the last": {all[4:], []int{2}},
		"a file and the last": {append(file, all[4:]...), []int{2, 3}},
	} {
		options := plot.Options{Targets: source.Targets(tt.sources)}
		distributions, _ := curves(t, tt.sources)
		charts := map[string]*plot.Chart{"percentiles": must(t)(plot.Percentiles(distributions, "", options))}
		if tt.sources[0].Cell != nil {
			over, _ := timelines(t, tt.sources)
			ladders, _, _, err := input.Ladders(tt.sources)
			if err != nil {
				t.Fatal(err)
			}
			charts["timeline"], charts["rate"] = must(t)(plot.Timeline(over, "", options)), must(t)(plot.Rate(ladders, "", options))
		}
		for kind, chart := range charts {
			svg := svgOf(t, chart)
			for hue := range palette.Hues {
				if got, want := has(svg, hue), slices.Contains(tt.hues, hue); got != want {
					t.Errorf("%s of %s: hue %d is drawn: %v, want %v", kind, name, hue, got, want)
				}
			}
		}
	}
}
