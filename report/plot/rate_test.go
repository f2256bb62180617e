package plot_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/report/plot"
	"github.com/brokerbench/brokerbench/results/resultstest"
)

// Repeats of a rate are one point of the line, the middle one's, and specks: what
// a search leaves, which measures some rates again.
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
	ladders, common, alone, err := plot.Ladders(find(t, resultstest.Write(t, "repeats", cells...)))
	if err != nil || len(ladders) != 1 || len(ladders[0].Cells) != 5 || ladders[0].Name != "nats" {
		t.Fatalf("%+v, %v", ladders, err)
	}
	if len(alone) != 1 || !strings.Contains(alone[0], "redis") {
		t.Errorf("alone: %q", alone)
	}
	svg := drawn(t, "rate-repeats.svg", must(t)(plot.Rate(ladders, common, plot.Options{})))
	wantTexts(t, svg, "nats p99", "other repeats of the rate")
	if strings.Contains(svg, "repeat 2") {
		t.Error("a repeat has a line of its own")
	}
}
