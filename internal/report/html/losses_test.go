package html_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// What was acknowledged and is lost stands above everything; acknowledgements have columns,
// and each cell says what became of what it acknowledged.
func TestALossStandsAboveEverything(t *testing.T) {
	acked := func(c *results.Cell) {
		acks := c.Service
		c.Ack, c.Complete = &acks, &acks
		c.AckLedger = &results.AckLedger{Acked: 7990, Delivered: 7987, Missing: 3, Early: 12}
		c.Audit = &results.Audit{Acked: 9990, Kept: 9988, Missing: 2, First: &results.MessageID{Seq: 7}, Last: &results.MessageID{Conn: 1, Seq: 9}, TookNS: int64(time.Second)}
	}
	store := newStore(t, "promises", measurement{target: "durable", rate: 2000, window: 4, change: acked}, measurement{target: "core", rate: 2000, window: 4})
	b := show(t, "light", store)
	var page struct {
		Notice, Facts string
		Head          []string
		Fields        int
	}
	b.openCell(0)
	b.eval(`({notice: document.querySelector(".notice").textContent, facts: document.body.textContent,
		head: [...document.querySelectorAll(".cells thead th")].map((e) => e.textContent.trim()), fields: document.querySelectorAll(".cells tbody tr:first-child td").length})`, &page)
	if !strings.HasPrefix(page.Notice, "Lost: durable, 1 KiB at 2,000/s: ") || !strings.Contains(page.Notice, "2 of 9990 messages that were acknowledged are not in the store") {
		t.Errorf("notice %q", page.Notice)
	}
	head := strings.Join(page.Head, " ")
	if !strings.Contains(head, "ack p50") || !strings.Contains(head, "ack p99") {
		t.Errorf("head %q", head)
	}
	for _, want := range []string{"7,990 acknowledged, 7,987 of them came back, 3 of them did not, 12 came back before they were acknowledged, as the client handed them over", "9,988 of 9,990 acknowledged messages"} {
		if !strings.Contains(page.Facts, want) {
			t.Errorf("no %q", want)
		}
	}
}
