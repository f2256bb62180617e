package plot_test

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/report/plot"
	"github.com/brokerbench/brokerbench/results"
)

// A fault that was made is on the timeline, with what came back after it.
func TestFaultsOnATimeline(t *testing.T) {
	list := find(t, sample(t))[:1]
	list[0].Cell.Faults = []results.Fault{
		{
			Plan: plan.Fault{At: 3 * time.Second, Do: plan.Kill, Node: plan.Leader}, Nodes: []string{"n2"}, BeganNS: 4e9, BrokenNS: 4e9 + 1, HealedNS: new(int64(6e9)),
			Harm: &results.Harm{RecoveredNS: new(int64(3e9))},
		},
		{Plan: plan.Fault{At: 4 * time.Second, Do: plan.Cut, Node: "7"}, Error: "no node 7"},
	}
	all, common := timelines(t, list)
	svg := drawn(t, "faults.svg", must(t)(plot.Timeline(all, common, plot.Options{Axis: plot.Log})))
	wantTexts(t, svg, "4.0 s: kill leader (n2) at 3s", "6.0 s: kill leader (n2) at 3s: mended", "7.0 s: kill leader (n2) at 3s: p99 is back")
}
