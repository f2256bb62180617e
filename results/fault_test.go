package results_test

import (
	"math"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

const second = int64(time.Second)

// killed is a fault with an outage of deliveries that was so long, and was over after it.
func killed(outage int64, recovered *int64) results.Fault {
	return results.Fault{
		Plan: plan.Fault{At: 10 * time.Second, Do: plan.Kill, Node: plan.Leader}, BeganNS: 12 * second, BrokenNS: 12*second + 1,
		Impact: &results.Impact{
			Deliveries: &results.Outage{Shown: true, ForNS: outage, LastNS: 12 * second, FirstNS: new(12*second + outage), UsualNS: 4e6, Due: 100},
			BaseP99NS:  new(int64(1e6)), RecoveredNS: recovered, Due: 1000, Done: 990, Failed: 4, Lost: 6, FromNS: 12 * second, ToNS: 22 * second,
		},
	}
}

func TestFaultsOfRepeats(t *testing.T) {
	cell := func(faults ...results.Fault) *results.Cell { return &results.Cell{Faults: faults} }
	unmade := results.Fault{Plan: killed(1, nil).Plan, Error: "no"}
	list := results.FaultsOf([]*results.Cell{cell(killed(2*second, new(3*second))), cell(killed(8*second, new(3*second))), cell(unmade), cell()})
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	f := list[0]
	if f.Made != 2 || f.Of != 3 || f.Due != 2000 || f.Lost != 12 || f.Failed != 8 || f.Outage != 200 || f.AckedLost != nil || f.Acks != nil {
		t.Errorf("%+v", f)
	}
	if d := f.Deliveries; math.Abs(float64(*d.GeoMeanNS-4*second)) > 10 || d.MinNS != 2*second || d.MaxNS != 8*second || *d.LowNS >= *d.GeoMeanNS {
		t.Errorf("%+v", *d)
	}
	if r := f.Recovery; *r.LowNS != *r.HighNS || r.Open != 0 {
		t.Errorf("%+v", *r)
	}
	// One that is not over has no mean.
	open := killed(8*second, nil)
	open.Impact.Deliveries.FirstNS = nil
	f = results.FaultsOf([]*results.Cell{cell(killed(2*second, new(3*second))), cell(open)})[0]
	if f.Deliveries.GeoMeanNS != nil || f.Deliveries.Open != 1 || f.Recovery.GeoMeanNS != nil || f.Recovery.Open != 1 {
		t.Errorf("%+v %+v", *f.Deliveries, *f.Recovery)
	}
	// Where nothing was done, no response is the longest.
	silent := killed(8*second, nil)
	silent.Impact.Done = 0
	if f = results.FaultsOf([]*results.Cell{cell(silent)})[0]; f.Worst != nil || f.Due != 1000 {
		t.Errorf("%+v %+v", f, f.Worst)
	}
	if list := results.FaultsOf([]*results.Cell{cell()}); list != nil {
		t.Errorf("%+v", list)
	}
}

func TestNamesOfFaults(t *testing.T) {
	for want, f := range map[string]results.Fault{
		"kill leader (n2) at 10s":          {Plan: plan.Fault{At: 10 * time.Second, Do: plan.Kill, Node: plan.Leader}, Nodes: []string{"n2"}},
		"stop 2 at 1s":                     {Plan: plan.Fault{At: time.Second, Do: plan.Stop, Node: "2"}, Nodes: []string{"2"}},
		"kill all (1, 2) at 0s":            {Plan: plan.Fault{Do: plan.Kill, Node: plan.AllNodes}, Nodes: []string{"1", "2"}},
		"run kubectl delete pod x at 1m0s": {Plan: plan.Fault{At: time.Minute, Do: plan.Run, Command: []string{"kubectl", "delete", "pod", "x"}}},
		"pause consumers at 10s":           {Plan: plan.Fault{At: 10 * time.Second, Do: plan.ConsumerPause, Node: plan.Consumers}},
		"cut 2 at 1s by namespaces":        {Plan: plan.Fault{At: time.Second, Do: plan.Cut, Node: "2"}, Nodes: []string{"2"}, By: results.ByNamespaces},
		"slow all at 1.5s":                 {Plan: plan.Fault{At: 1500 * time.Millisecond, Do: plan.Slow, Node: plan.AllNodes}},
		"pause any-follower (n1) at 20ms":  {Plan: plan.Fault{At: 20 * time.Millisecond, Do: plan.Pause, Node: plan.AnyFollower}, Nodes: []string{"n1"}},
	} {
		if got := f.Name(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
