package search_test

import (
	"context"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
)

// A slowClient keeps the sender busy for a millisecond with each message. The system
// behind it answers at once.
type slowClient struct{ requester.Requester }

func (c slowClient) Request(ctx context.Context, payload []byte) error {
	time.Sleep(serving)
	return c.Requester.Request(ctx, payload)
}

// slowClients is a factory of slowClients.
type slowClients struct{ requester.Factory }

func (f slowClients) New(n int, sink requester.Sink) (requester.Requester, error) {
	r, err := f.Factory.New(n, sink)
	return slowClient{r}, err
}

// A rate that the client library cannot send is not the target's limit, however high
// the rate is, and even if no floor was measured that would show it.
func TestSearchBlamesAClientThatCannotKeepUp(t *testing.T) {
	cfg := search.Config{
		Objectives: []plan.Objective{objective(t, "p99<5ms"), objective(t, "p99<1s"), objective(t, "loss<1%"), objective(t, "rate>99%")},
		From:       100, Window: 2 * time.Second, Confirm: 5 * time.Second,
	}
	r, _ := searched(t, schedule.Constant, 0, cfg, func(plan.Target, string) (requester.Factory, error) {
		f, err := loopback.New(loopback.Config{})
		return slowClients{f}, err
	})
	for _, row := range r.Rows {
		if row.Status != search.ByClient || row.Rate < 950 || row.Rate > 1010 || row.Above > 1060 {
			t.Errorf("%+v, want 1000/s, limited by the client", row)
		}
	}
	for _, p := range r.Probes {
		for _, a := range p.Answers {
			if p.Rate <= 1000 != (a.Answer == search.Kept) && p.Rate != 1000 && (p.Rate < 1000 || p.Rate > 1015) || a.Answer == search.Missed {
				t.Errorf("%d/s: %+v", p.Rate, a)
			}
		}
	}
}
