package measure

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// slowNodes take a while at first, to find out who they are. Between two samples they use a
// tenth of a core.
type slowNodes struct{ last time.Time }

func (n *slowNodes) Sample(func()) []results.NodeUsage {
	if n.last.IsZero() {
		time.Sleep(300 * ms)
	}
	used := int64(time.Since(n.last) / 10)
	n.last = time.Now()
	return []results.NodeUsage{{Node: "1", Processes: 1, CPUNS: &used}}
}

// However long the nodes take to be found, no message waits for it, and the time until the first
// one is due costs nothing.
func TestNodesAreFoundBeforeTheFirstMessageIsDue(t *testing.T) {
	cell := cellOf(100, time.Second)
	cell.Settings.Warmup = 0
	c := virtual(t, loopback.Config{}, cell, Options{Nodes: &slowNodes{}})
	if late := time.Duration(c.Lag.MaxNS); late > 10*ms {
		t.Errorf("a message was sent %v after it was due", late)
	}
	if len(c.Nodes) != 1 || *c.Nodes[0].CPUNS < int64(99*ms) || *c.Nodes[0].CPUNS > int64(103*ms) {
		t.Errorf("%+v, want 100 ms of CPU time", c.Nodes)
	}
}

// lateNodes take a while for every sample.
type lateNodes struct{ slowNodes }

func (n *lateNodes) Sample(pause func()) []results.NodeUsage {
	time.Sleep(400 * ms)
	return n.slowNodes.Sample(pause)
}

// No message waits for the sample with which the first interval begins.
func TestNodesAreSampledWhileMessagesAreSent(t *testing.T) {
	cell := cellOf(100, 2*time.Second)
	cell.Settings.Warmup = 0
	c := virtual(t, loopback.Config{}, cell, Options{Nodes: &lateNodes{}})
	if late := time.Duration(c.Lag.MaxNS); late > 10*ms || c.Ledger.Done != 200 {
		t.Errorf("a message was sent %v after it was due: %+v", late, c.Ledger)
	}
}

// dyingNodes are two nodes, of which the second has no process in some samples.
type dyingNodes struct {
	samples int
	dead    map[int]bool
}

func (n *dyingNodes) Sample(func()) []results.NodeUsage {
	if n.samples++; n.samples == 1 {
		return nil
	}
	second := results.NodeUsage{Node: "2", Processes: 1, CPUNS: new(int64)}
	if n.dead[n.samples-2] {
		second.Processes = 0
	}
	return []results.NodeUsage{{Node: "1", Processes: 1, CPUNS: new(int64)}, second}
}

// A node that ends by itself is named; one that a fault has ended, or that was not there at first, is not.
func TestANodeThatEndsByItselfIsNamed(t *testing.T) {
	healed := int64(3500 * ms)
	kill := results.Fault{Plan: plan.Fault{Do: plan.Kill}, Nodes: []string{"2"}, BeganNS: int64(1800 * ms), BrokenNS: int64(1801 * ms), HealedNS: &healed}
	other := kill
	other.Nodes = []string{"1"}
	command := results.Fault{Plan: plan.Fault{Do: plan.Run}, BeganNS: int64(1800 * ms), BrokenNS: int64(1801 * ms), HealedNS: nil}
	pause := kill
	pause.Plan = plan.Fault{At: 1500 * ms, Do: plan.Pause, Node: "2"}
	for name, tt := range map[string]struct {
		dead   []int // seconds
		faults []results.Fault
		want   string
	}{
		"by itself":              {[]int{2, 3}, nil, "node 2 ended between 2.0 and 3.0 s, and no fault did that"},
		"twice":                  {[]int{2, 5}, nil, "node 2 ended between 2.0 and 3.0 s, and no fault did that; node 2 ended between 5.0 and 6.0 s, and no fault did that"},
		"killed":                 {[]int{2, 3}, []results.Fault{kill}, ""},
		"another is killed":      {[]int{2}, []results.Fault{other}, "node 2 ended between 2.0 and 3.0 s, and no fault did that"},
		"a command of the user":  {[]int{2}, []results.Fault{command}, ""},
		"paused, and it crashes": {[]int{2}, []results.Fault{pause}, "node 2 ended between 2.0 and 3.0 s, during pause 2 at 1.5s"},
		"after it was healed":    {[]int{2, 3, 5}, []results.Fault{kill}, "node 2 ended between 5.0 and 6.0 s, and no fault did that"},
		"not there at first":     {[]int{0, 1}, nil, ""},
		"never dead":             {nil, nil, ""},
	} {
		n := &dyingNodes{dead: make(map[int]bool)}
		for _, second := range tt.dead {
			n.dead[second] = true
		}
		w, err := record.NewNodeSampler(n, plan.Cell{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Begin(time.Now())
		for second := range 8 {
			w.Take(time.Duration(second)*time.Second, time.Duration(second+1)*time.Second, func() {})
		}
		c := results.Cell{Faults: tt.faults}
		w.Describe(&c, nil)
		judge.New(plan.Cell{}, judge.Environment{OS: "linux"}, nil).Judge(&c)
		if got, _ := c.Problem(results.CodeNode); got.Text != tt.want || (got.Severity == results.Suspect) != strings.Contains(tt.want, "no fault") {
			t.Errorf("%s: %+v, want %q", name, got, tt.want)
		}
	}
}

// A fault at a whole second is made before the sample of the interval that ends there, and is
// what ended the node that the sample does not find.
func TestAFaultBetweenAnIntervalAndItsSampleIsToBlame(t *testing.T) {
	for began, want := range map[time.Duration]string{
		3*time.Second + ms: "",
		time.Hour:          "node 2 ended between 2.0 and 3.5 s, and no fault did that",
	} {
		w, err := record.NewNodeSampler(&dyingNodes{dead: map[int]bool{2: true}}, plan.Cell{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Begin(time.Now().Add(-3500 * ms))
		for second := range 3 {
			w.Take(time.Duration(second)*time.Second, time.Duration(second+1)*time.Second, func() {})
		}
		c := results.Cell{Faults: []results.Fault{{Plan: plan.Fault{Do: plan.Kill}, Nodes: []string{"2"}, BeganNS: int64(began), BrokenNS: int64(began) + 1}}}
		w.Describe(&c, nil)
		judge.New(plan.Cell{}, judge.Environment{OS: "linux"}, nil).Judge(&c)
		if got, _ := c.Problem(results.CodeNode); got.Text != want {
			t.Errorf("a kill at %v: %q, want %q", began, got.Text, want)
		}
	}
}
