package html_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// The page names producers and groups, says when each group had a message and which misses some, and
// has the p99 of each member.
func TestGroupsOnThePage(t *testing.T) {
	values := func(took time.Duration, missing int64) *results.Distribution {
		sum := histogram.New()
		for range 1000 {
			sum.Record(took)
		}
		d := results.NewDistribution(sum, missing)
		return &d
	}
	grouped := func(c *results.Cell) {
		c.Plan.Shape.Topology = plan.Topology{Topics: 1, Groups: 2, Members: 2}
		c.First, c.Each = values(time.Millisecond, 0), values(2*time.Millisecond, 7)
		c.Partitions = []results.Partition{{Number: 0, Messages: 10}, {Number: 1, Messages: 90}}
		c.Backlog = &results.Backlog{
			Messages: 5000, Stored: 5000, FillNS: 2e9, WithinNS: 6e9, Left: 40, PerS: 800, Groups: []results.BacklogGroup{{Owed: 5000, Delivered: 4990, Missing: 10, Behind: 5000}},
			Age: results.BacklogTimes{MaxNS: 7e9}, Phases: []results.BacklogPhase{{Phase: "before", Ack: results.BacklogTimes{MaxNS: 3e6}}},
		}
		for i, lost := range []int64{0, 7} {
			ns := int64(1+i) * int64(time.Millisecond)
			c.Groups = append(c.Groups, results.Group{
				Number: i, Ledger: results.Ledger{Due: 1000, Done: 1000 - lost, Lost: lost}, Duplicate: 3,
				Members: []int64{600, 400 - lost}, MembersP99NS: []*int64{&ns, nil}, P50NS: &ns, P99NS: &ns, MaxNS: ns,
			})
		}
	}
	b := show(t, "light", newStore(t, "groups", measurement{target: "nats", rate: 2000, window: 6, grouped: true, change: grouped}))
	b.openCell(0)
	var page struct {
		Title  string
		Text   string
		Tables [][][]string
	}
	b.eval(`(() => ({text: document.getElementById("cell").textContent, title: document.querySelector("#cell h2").textContent, tables: [...document.querySelectorAll("#cell table.numbers")]
		.filter((t) => /groups? had|each (group|member)|backlog$|ages|Partitions/i.test(t.caption.textContent)).map((t) => [...t.tBodies[0].rows].map((r) => [...r.cells].map((c) => c.textContent.trim())))}))()`, &page)
	if want := "1 topic, 2 groups of 2"; !strings.Contains(page.Title, want) || len(page.Tables) != 6 {
		t.Fatalf("%q lacks %q, or there are not 6 tables: %q", page.Title, want, page.Tables)
	}
	for i, want := range [][]string{{"first group", "1.00", "1.00", "1.00", "1.00"}, {"1", "1,000", "7", "3", "0", "2.00", "2.00", "2.00"}, {"1", "600 (2.00)", "393"}, {"0", "5,000", "4,990", "10", "0", "5,000"}, {"before: acknowledgement", "?", "?", "?", "3.00"}, {"1", "90", "?", "?", "0"}} {
		if rows := page.Tables[i]; !slices.ContainsFunc(rows, func(r []string) bool { return slices.Equal(trusted(r), want) }) {
			t.Errorf("%q, want a row %q", rows, want)
		}
	}
	if want := "not drained: 40 messages left after 6.00 s, 800/s"; !strings.Contains(page.Text, want) {
		t.Errorf("want %q: %s", want, page.Text)
	}
}
