package backlog

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

func TestTheAnswer(t *testing.T) {
	ns := func(d time.Duration) *int64 { return new(int64(d)) }
	phases := []results.BacklogPhase{
		{Phase: "before", Ack: results.BacklogTimes{P99NS: ns(5 * time.Millisecond)}},
		{
			Phase: "during", Ack: results.BacklogTimes{P99NS: ns(20 * time.Millisecond)},
			Lagging: &results.BacklogTimes{P99NS: ns(9 * time.Second)}, Others: &results.BacklogTimes{},
		},
	}
	const live = " Meanwhile p99 of live messages in ms: 9000 for the group that lagged, - for the others; ack 20.0, before 5.00."
	for want, b := range map[string]results.Backlog{
		"backlog nats 100/s: 1,000,000 messages drained in 41s, 24390/s." + live: {
			Messages: 1_000_000, DrainNS: ns(41 * time.Second), WithinNS: 60e9, PerS: 24390.2, Phases: phases,
		},
		"backlog nats 100/s: NOT drained: 1 of 10,000 messages left after 20s; the last came after 1s, 9999/s." + live: {
			Messages: 10_000, WithinNS: 20e9, Left: 1, LastNS: ns(time.Second), PerS: 9999, Phases: phases,
		},
		"backlog nats 100/s: NOT drained: 1,000 of 1,000 messages left after 1m0s." + live: {
			Messages: 1000, WithinNS: 60e9, Left: 1000, Phases: phases,
		},
		"backlog nats 100/s: interrupted while the store was filled: 17 of 1,000 messages stored.":                {Messages: 1000, Stored: 17, Interrupted: true},
		"backlog nats 100/s: interrupted before the consumers returned. The page cache was NOT dropped: no root.": {Messages: 1000, NotCold: "no root"},
		"backlog nats 100/s: 1,000 messages drained in 1s, 1000/s. The page cache was dropped before.":            {Messages: 1000, DrainNS: ns(time.Second), WithinNS: 60e9, PerS: 1000, Cold: true},
	} {
		var d document.Document
		c := &results.Cell{Backlog: &b, Plan: plan.Cell{Shape: plan.Shape{Rate: 100}}}
		Answer(&d, []*results.Cell{c, {}}, func(*results.Cell, []*results.Cell) string { return "nats" })
		var text strings.Builder
		if err := d.Write(&text, document.Text); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(text.String()), " "); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
