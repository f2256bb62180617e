package html_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// What broke is on the timeline, and each fault has a row.
func TestFaultsOnThePage(t *testing.T) {
	const second = int64(time.Second)
	broken := func(c *results.Cell) {
		c.Faults = []results.Fault{
			{
				Plan: plan.Fault{At: 2 * time.Second, Do: plan.Kill, Node: plan.Leader}, Nodes: []string{"n2"},
				BeganNS: 4 * second, BrokenNS: 4*second + 1, HealedNS: new(6 * second), LeaderBefore: "n2", LeaderAfter: "n3", LeaderNS: new(5 * second),
				Impact: &results.Impact{
					Deliveries: &results.Outage{Shown: true, ForNS: 1_500_000_000, FirstNS: new(6 * second), Connections: 1, Due: 3000},
					Acks:       &results.Outage{ForNS: 12e6, FirstNS: new(6 * second)},
					WorstNS:    2 * second, BaseP99NS: new(second / 1000), RecoveredNS: new(2 * second), Due: 4000, Done: 3999, Lost: 1, Acked: 4000, AckedLost: new(int64(7)),
				},
			},
			{Plan: plan.Fault{At: 5 * time.Second, Do: plan.Cut, Node: "<b>7"}, Error: "no node is named <b>7"},
		}
	}
	b := show(t, "light", newStore(t, "faults", measurement{target: "nats", rate: 2000, window: 6, change: broken}))
	b.openCell(0)
	var page struct {
		Head, First, Second, Events []string
	}
	b.eval(`(() => { const texts = (s) => [...document.querySelectorAll(s)].map((e) => e.textContent.trim());
		return {head: texts(".faults thead th"), first: texts(".faults tbody tr:nth-child(1) > *"), second: texts(".faults tbody tr:nth-child(2) > *"), events: texts(".events li")} })()`, &page)
	if want := []string{"< 0.012", "1.500", "2.000", "2.000", "3,000", "0", "1", "7", "0", "0"}; len(page.First) != 11 || !slices.Equal(page.First[1:], want) {
		t.Errorf("%q, want %q", page.First, want)
	}
	if !strings.HasPrefix(page.First[0], "kill leader (n2) at 2.00 s") || !strings.Contains(page.First[0], "leader n2, then n3") || len(page.Head) != 11 {
		t.Errorf("%q %q", page.First[0], page.Head)
	}
	if !strings.Contains(page.Second[0], "not made: no node is named <b>7") || page.Second[1] != "–" {
		t.Errorf("%q", page.Second)
	}
	for _, want := range []string{"4.000 s kill leader (n2) at 2.00 s", "5.000 s kill leader (n2) at 2.00 s: n3 leads", "6.000 s kill leader (n2) at 2.00 s: healed"} {
		if !slices.ContainsFunc(page.Events, func(e string) bool { return strings.HasPrefix(e, want) }) {
			t.Errorf("no %q among %q", want, page.Events)
		}
	}
}
