package why

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/report/document"
)

func TestDocument(t *testing.T) {
	cells := []Cell{
		{"nats-1", cause.Causes{
			Pauses: 40, Verdict: cause.Found,
			Causes: []cause.Cause{
				{Cause: cause.Throttled, Where: "2", Coincide: 31, Pauses: 40, Expected: 2.13, P: 0.0004},
				{Cause: cause.IO, Where: cause.Machine, Coincide: 7, Pauses: 9, Expected: 0.24, P: 0.0102},
			},
			Marks: []cause.Pause{
				{FromNS: 3_210_000_000, ToNS: 3_300_000_000, WorstNS: 81_200_000, Of: []int{0}},
				{FromNS: 4_210_000_000, ToNS: 4_300_000_000, WorstNS: 71_200_000, Of: []int{0, 1}},
				{FromNS: 5_210_000_000, ToNS: 5_300_000_000, WorstNS: 61_200_000},
			},
			Missing: []cause.NotKnown{{Cause: cause.GCErlang, Where: "2", Reason: "Erlang shows its collections only to its own shell"}},
		}},
		{"nats-2", cause.Causes{Pauses: 12, Verdict: cause.None}},
		{"nats-3", cause.Causes{Pauses: 3, Verdict: cause.Undecided, Reason: "there are 3 pauses of 20ms or more: at least 5 are needed"}},
	}
	for _, format := range document.Formats() {
		var text strings.Builder
		if err := Document(cells).Write(&text, format); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "why."+string(format), text.String())
	}
}
