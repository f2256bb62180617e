package plot_test

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A fault that was made is on the timeline, with what came back after it.
func TestFaultsOnATimeline(t *testing.T) {
	list := find(t, sample(t))[:1]
	list[0].Cell.Faults = []results.Fault{
		{
			Plan: plan.Fault{At: 3 * time.Second, Do: plan.Kill, Node: plan.Leader}, Nodes: []string{"n2"}, BeganNS: 4e9, BrokenNS: 4e9 + 1, HealedNS: new(int64(6e9)),
			Impact: &results.Impact{RecoveredNS: new(int64(3e9))},
		},
		{Plan: plan.Fault{At: 4 * time.Second, Do: plan.Cut, Node: "7"}, Error: "no node 7"},
	}
	all, common := timelines(t, list)
	drawn(t, "faults.svg", must(t)(plot.Timeline(all, common, plot.Options{Axis: plot.Log})))
}
