package judge_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
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

func TestObjectivesOfFaults(t *testing.T) {
	good := killed(4*second, new(5*second))
	never := killed(4*second, nil)
	never.Impact.Deliveries.FirstNS = nil
	none := killed(second, new(int64(0)))
	none.Impact.Deliveries.Shown, none.Impact.Deliveries.UsualNS = false, second
	unknown := killed(second, nil)
	unknown.Impact.Deliveries, unknown.Impact.BaseP99NS = nil, nil
	silent := killed(second, nil)
	silent.Impact.Deliveries = &results.Outage{ForNS: second / 8, LastNS: 11 * second, UsualNS: second / 5, Unknown: true}
	disturbed := killed(4*second, new(5*second))
	disturbed.Impact.Disturbed = &results.Disturbed{P99NS: second, RecoveredNS: new(second)}
	unmade := results.Fault{Plan: plan.Fault{Do: plan.Cut, Node: "7"}, Error: "no node 7"}
	late := results.Fault{Plan: plan.Fault{Do: plan.Kill, Node: "1"}, BeganNS: 30 * second, BrokenNS: 31 * second}
	for _, tt := range []struct {
		name      string
		faults    []results.Fault
		objective string
		want      results.Outcome
		says      string
	}{
		{"kept", []results.Fault{good}, "outage<10s", results.Passed, "kill leader at 10s: 4s"},
		{"missed", []results.Fault{good}, "outage<3s", results.Missed, "4s"},
		{"the worst counts", []results.Fault{good, killed(11*second, new(second))}, "outage<10s", results.Missed, "11s"},
		{"never over", []results.Fault{never}, "outage<4s", results.Missed, "not over at the end, after 4s"},
		{"perhaps over in time", []results.Fault{never}, "outage<10s", results.Inconclusive, "not over at the end, after 4s"},
		{"nothing came", []results.Fault{silent}, "outage<10s", results.Inconclusive, "nothing came after it"},
		{"none", []results.Fault{none}, "outage<10s", results.Passed, "none of more than 1s"},
		{"too rare", []results.Fault{none}, "outage<1s", results.Inconclusive, "messages come too rarely"},
		{"no faults", nil, "outage<10s", results.Inconclusive, "no fault was made"},
		{"not known", []results.Fault{unknown}, "outage<10s", results.Inconclusive, "nothing came before it"},
		{"one not made", []results.Fault{good, unmade}, "outage<10s", results.Inconclusive, "was not made: no node 7"},
		{"one not made, and missed", []results.Fault{good, unmade}, "outage<1s", results.Missed, "4s"},
		{"back", []results.Fault{good}, "recovery<=5s", results.Passed, "5s"},
		{"too late", []results.Fault{good}, "recovery<5s", results.Missed, "5s"},
		{"not back", []results.Fault{never}, "recovery<10s", results.Missed, "p99 was not back at 1ms or less within 10s"},
		{"perhaps back in time", []results.Fault{never}, "recovery<30s", results.Inconclusive, "until the next fault or the end"},
		{"disturbed before, and quick", []results.Fault{disturbed}, "recovery<6s", results.Passed, "5s"},
		{"disturbed before, and slow", []results.Fault{disturbed}, "recovery<3s", results.Inconclusive, "by p99 of all of them: 1s"},
		{"disturbed before, and slow anyway", []results.Fault{disturbed}, "recovery<1s", results.Missed, "5s"},
		{"kept, and a fault not made", []results.Fault{good, unmade}, "lost-acked==0", results.Inconclusive, "cut 7 at 0s was not made"},
		{"kept, and a fault after the end", []results.Fault{good, late}, "lost-acked==0", results.Inconclusive, "began after the last message was due"},
		{"any other objective, and a fault not made", []results.Fault{unmade}, "loss<1%", results.Inconclusive, "cut 7 at 0s was not made"},
		{"all that is missed stays missed", []results.Fault{unmade}, "rate>1/s", results.Missed, "0/s"},
		{"no p99 before", []results.Fault{unknown}, "recovery<1h", results.Inconclusive, "too few messages"},
	} {
		c := &results.Cell{Ledger: results.Ledger{Due: 1, Done: 1}, Faults: tt.faults, Verdict: results.Suspect, Audit: &results.Audit{Acked: 9}}
		c.Plan.Settings = plan.Settings{Warmup: 2 * time.Second, Duration: 20 * time.Second}
		c.Plan.SLOs = objectives(t, tt.objective)
		if judge.SLOs(c); c.SLOs[0].Outcome != tt.want || !strings.Contains(c.SLOs[0].Text, tt.says) {
			t.Errorf("%s: %+v", tt.name, c.SLOs[0])
		}
	}
}
