package report_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

const second = int64(time.Second)

// failover is a cell in which a leader was killed, and then consumers fell behind. The outage
// was so long.
func failover(repeat int, outage int64) *results.Cell {
	c := cell("nats", plan.Shape{Rate: 500, Size: 1024, Connections: 25}, results.Ledger{Due: 30_000, Done: 29_997, Lost: 3}, time.Millisecond)
	c.Plan.Repeat, c.Plan.Settings.Warmup = repeat, 2*time.Second
	c.ID = c.Plan.ID()
	c.Verdict = results.Valid
	c.Broker.Timers = []results.Setting{{Name: "ping_interval", Value: "2m0s"}, {Name: "ping_max", Value: "2"}}
	kill := results.Fault{
		Plan: plan.Fault{At: 10 * time.Second, Do: plan.Kill, Node: plan.Leader, Restart: 5 * time.Second}, Nodes: []string{"n2"},
		BeganNS: 12 * second, BrokenNS: 12*second + 1, HealedNS: new(17 * second), LeaderBefore: "n2", LeaderAfter: "n3",
		LeaderNS: new(13 * second), RedundantNS: new(19 * second),
	}
	kill.Impact = &results.Impact{
		FromNS: 12 * second, ToNS: 32 * second, WorstNS: outage + second/10, BaseP99NS: new(int64(2e6)), RecoveredNS: new(outage + second), StepNS: 50e6,
		Acks:       &results.Outage{Shown: true, ForNS: outage, LastNS: 12 * second, FirstNS: new(12*second + outage), Connections: 25, WholeNS: outage, Due: outage / 2e6, UsualNS: 4e6},
		Deliveries: &results.Outage{Shown: true, ForNS: outage + second/5, LastNS: 12 * second, FirstNS: new(12*second + outage + second/5), Connections: 25, WholeNS: outage - second, Due: outage / 2e6, UsualNS: 4e6},
		Due:        10_000, Done: 9997, Lost: 3, Acked: 9998, AckedLost: new(int64(repeat)), Duplicates: 34, OutOfOrder: 2,
	}
	fall := results.Fault{
		Plan: plan.Fault{At: 30 * time.Second, Do: plan.ConsumerPause, Node: plan.Consumers, For: 5 * time.Second}, BeganNS: 32 * second, BrokenNS: 32 * second, HealedNS: new(37 * second),
		Impact: &results.Impact{
			FromNS: 32 * second, ToNS: 62 * second, WorstNS: 5 * second, BaseP99NS: new(int64(2e6)), StepNS: 50e6,
			Acks:       &results.Outage{ForNS: 12e6, LastNS: 40 * second, FirstNS: new(40*second + 12e6), UsualNS: 9e6},
			Deliveries: &results.Outage{Shown: true, ForNS: 5 * second, LastNS: 32 * second, FirstNS: new(37 * second), Connections: 1, Due: 100, UsualNS: 4e6},
			Due:        15_000, Done: 15_000, Acked: 15_000, AckedLost: new(int64),
		},
		CatchUp: &results.CatchUp{
			Behind: 2500, Queued: 100, DrainedNS: new(second / 2),
			Age: &results.Times{Count: 2500, P50NS: 2500e6, P99NS: 4950e6, MaxNS: 5 * second}, Live: &results.Times{Count: 250, P50NS: 250e6, P99NS: 490e6, MaxNS: second / 2},
		},
	}
	c.Faults = []results.Fault{kill, fall, {Plan: plan.Fault{At: 50 * time.Second, Do: plan.Cut, Node: "7"}, Error: "no node is named 7"}}
	c.Judge(nil)
	return c
}

func TestFaults(t *testing.T) {
	d := report.Run(results.Run{}, []*results.Cell{failover(1, 4*second)}, nil, true)
	wantGolden(t, "faults", d)
	wantNarrow(t, written(t, d, document.Text))
}

// Repeats share a row: the geometric mean with its interval, and sums.
func TestFaultsOfRepeats(t *testing.T) {
	cells := []*results.Cell{failover(1, 4*second), failover(2, 5*second), failover(3, 4500*second/1000)}
	cells[2].Faults[1].Impact.Deliveries.FirstNS = nil
	text := report.Run(results.Run{}, cells, nil, true).Text()
	for _, want := range []string{
		"geometric mean and its 95 % interval", "   4.481 ", "(3.396–5.914)", "another leader after", "kill leader (n2) at 10s, healed after 5.000", ">5.000", "(1 of 3)", "102", " 6 acknowledged messages lost",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	wantNarrow(t, text)
}

// Where nothing was done after a fault, no response is the longest, and the rest is said.
func TestAFaultAfterWhichNothingIsDone(t *testing.T) {
	c := failover(1, 4*second)
	h := c.Faults[0].Impact
	h.WorstNS, h.Done, h.Failed = 0, 0, h.Done
	c.Faults = c.Faults[:1]
	d := report.Run(results.Run{}, []*results.Cell{c}, nil, true)
	if text := strings.Join(strings.Fields(d.Text()), " "); !strings.Contains(text, "4.000 4.200 5.000 - ") || !strings.Contains(text, " 9,997 3 ") {
		t.Errorf("%s", text)
	}
	rows, err := csv.NewReader(strings.NewReader(written(t, d, document.CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], "fault_worst_ns")
	if got := rows[1][at : at+3]; !slices.Equal(got, []string{"", "10000", "9997"}) {
		t.Errorf("got %q", got)
	}
}

// A cell without faults says nothing of them.
func TestNoFaults(t *testing.T) {
	if text := report.Run(results.Run{}, []*results.Cell{acking(1, nil)}, nil, true).Text(); strings.Contains(text, "ault") {
		t.Error(text)
	}
}
