package users

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

func TestUsersAreShown(t *testing.T) {
	h := histogram.New()
	for i := range time.Duration(2000) {
		h.Record(time.Millisecond * (1 + 100*(i/1990)))
	}
	naive := []*int64{new(int64(1e6)), nil, nil, nil, new(int64(101e6))}
	few := histogram.New()
	few.Record(7 * time.Millisecond)
	c := &results.Cell{Plan: plan.Cell{Shape: plan.Shape{Rate: 100}}, Agents: []results.Agent{{Name: "a1"}}, Users: []results.User{
		{
			Kind: plan.User{Messages: 8}, Due: 2000, Worst: results.NewDistribution(h, 0), Sum: new(results.NewDistribution(h, 0)), NaiveNS: naive,
			Over: []results.UsersBeyond{{Limit: "p99", LimitNS: 5e6, Share: 0.005, Low: 0.001, High: 0.02, Naive: 0.077}},
		},
		{Kind: plan.User{Messages: 200, Parallel: true}, Due: 3, Worst: results.NewDistribution(few, 2)},
		{Kind: plan.User{Messages: 500}, Worst: results.NewDistribution(histogram.New(), 0), Sum: new(results.NewDistribution(histogram.New(), 0))},
	}}
	var d document.Document
	Show(&d, []*results.Cell{c, {}}, func(*results.Cell, []*results.Cell) string { return "nats" })
	var text strings.Builder
	if err := d.Write(&text, document.Text); err != nil {
		t.Fatal(err)
	}
	const want = `
user            users unfinished worst p50 naive worst p99 95 % naive   max sum p50  p99
8 in sequence   2,000          0      1.00  1.00      1.00    -   101   101    1.00 1.00
200 in parallel     3          2     ≥7.00     -     ≥7.00    -     - ≥7.00
500 in sequence     0          0         -     -         -    -     -     -       -    -
user          limit   ms users above      95 % naive
8 in sequence p99   5.00       0.5 % 0.1 %–2 % 7.7 %`
	if got := text.String(); !strings.HasPrefix(got, "nats 100/s: users who need several messages.") || !strings.Contains(got, "Messages in parallel are those of one agent.") || !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
}
