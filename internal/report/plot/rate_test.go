package plot_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

func TestRate(t *testing.T) {
	ladders, common, alone, err := input.Ladders(find(t, sample(t)))
	if err != nil || len(alone) > 0 {
		t.Fatal(alone, err)
	}
	drawn(t, "rate.svg", must(t)(plot.Rate(ladders, common, plot.Options{Axis: plot.Log})))
}

// Repeats of a rate are one point, of all their messages together: what a search
// leaves, too, which measures some rates again.
func TestRateOfRepeats(t *testing.T) {
	var cells []resultstest.Cell
	for _, c := range []struct {
		rate, repeat int
		typical      time.Duration
	}{{1000, 1, 3}, {1000, 2, 1}, {1000, 3, 2}, {2000, 1, 4}, {4000, 2, 5}} {
		cells = append(cells, resultstest.Cell{
			Target: "nats", Rate: schedule.Rate(c.rate), Repeat: c.repeat, Seconds: stalled(c.rate, 4, 99, c.typical*time.Millisecond),
		})
	}
	cells = append(cells, resultstest.Cell{Target: "redis", Rate: 1000, Seconds: stalled(1000, 4, 99, time.Millisecond)},
		resultstest.Cell{Target: "redis", Rate: 1000, Repeat: 2, Seconds: stalled(1000, 4, 99, time.Millisecond)})
	ladders, common, alone, err := input.Ladders(find(t, resultstest.Write(t, "repeats", cells...)))
	if err != nil || len(ladders) != 1 || len(ladders[0].Rungs) != 3 || ladders[0].Name != "nats" {
		t.Fatalf("%+v, %v", ladders, err)
	}
	r := ladders[0].Rungs[0]
	row, _ := r.Response.At(50)
	if v, _ := row.Value(); len(r.Cells) != 3 || r.Response.Count != 12_000 || v < 2*time.Millisecond || v > 2300*time.Microsecond {
		t.Errorf("three repeats of 1, 2 and 3 ms have %d messages, of which half take at most %v", r.Response.Count, v)
	}
	if len(alone) != 1 || !strings.Contains(alone[0], "redis") {
		t.Errorf("alone: %q", alone)
	}
	svg := drawn(t, "rate-repeats.svg", must(t)(plot.Rate(ladders, common, plot.Options{})))
	if strings.Contains(svg, "repeat 2") {
		t.Error("a repeat has a line of its own")
	}
}

// Many ladders have a line each, which is named at its end, in a panel for each shape.
func TestRateOfManyLadders(t *testing.T) {
	ladder := func(number, connections int) []source.Source {
		var list []source.Source
		for _, rate := range []int{100, 200} {
			target, service := fmt.Sprintf("t%d", number), time.Duration(1+number/2+connections)*time.Millisecond
			c := resultstest.Cell{Target: target, Rate: schedule.Rate(rate), Seconds: stalled(rate, 1, 99, service), Change: func(c *results.Cell) {
				c.Plan.Shape.Connections = connections
			}}
			list = append(list, find(t, resultstest.Folder(t, resultstest.Write(t, "many", c), 0))...)
			list[len(list)-1].Run = "one"
		}
		return list
	}
	for _, tt := range []struct{ targets, shapes, height int }{{11, 1, 600}, {1, 9, 1400}, {4, 2, 400}} {
		var all []source.Source
		for target := range tt.targets {
			for n := range tt.shapes {
				all = append(all, ladder(target, n+1)...)
			}
		}
		ladders, common, _, err := input.Ladders(all)
		if err != nil || len(ladders) != tt.targets*tt.shapes {
			t.Fatalf("%v: %d ladders, %v", tt, len(ladders), err)
		}
		chart := must(t)(plot.Rate(ladders, common, plot.Options{}))
		svg := drawn(t, fmt.Sprintf("rate-%d-%d.svg", tt.targets, tt.shapes), chart)
		for target := range tt.targets {
			if n := strings.Count(svg, fmt.Sprintf(">t%d<", target)); n != tt.shapes {
				t.Errorf("%v: t%d is named %d times", tt, target, n)
			}
		}
		if _, height := chart.Size(); height > tt.height {
			t.Errorf("%v: %d pixels high, want at most %d", tt, height, tt.height)
		}
	}
}
