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
			Messages: 5000, Stored: 5000, FillNS: 2e9, WithinNS: 6e9, Left: 40, LastNS: new(int64(5e9)), PerS: 800, Groups: []results.BacklogGroup{{Owed: 5000, Delivered: 4990, Missing: 10, Behind: 5000}},
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
	interrupted := func(filling bool) func(*results.Cell) {
		return func(c *results.Cell) {
			c.Backlog = &results.Backlog{Messages: 1000, Stored: 17, FillNS: 1e9, Interrupted: filling, Groups: []results.BacklogGroup{{Owed: 17, Missing: 17}}}
		}
	}
	b := show(t, "light", newStore(t, "groups", measurement{target: "nats", rate: 2000, window: 6, grouped: true, change: grouped},
		measurement{target: "redis", rate: 2000, window: 6, change: interrupted(true)}, measurement{target: "kafka", rate: 2000, window: 6, change: interrupted(false)}))
	for i, want := range []string{1: "interrupted while the store was filled: 17 of 1,000 messages stored. ", 2: "interrupted before the consumers returned. "} {
		var text string
		b.openCell(i)
		if b.eval(`document.getElementById("cell").textContent`, &text); !strings.Contains(text, want) {
			t.Errorf("want %q: %s", want, text)
		}
	}
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
	if want := "5,000 messages stored in 2.00 s; NOT drained: 40 of 5,000 messages left after 6.00 s; the last came after 5.00 s, 800/s. "; !strings.Contains(page.Text, want) {
		t.Errorf("want %q: %s", want, page.Text)
	}
}
