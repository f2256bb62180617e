package load

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
)

type echoes struct{}

func (echoes) New(_ int, sink requester.Sink) (requester.Requester, error) {
	return &echo{sink.Reply}, nil
}

// An engine that forgets one of four connections is found out by the ledger, since
// what was due comes from the schedule and not from what was sent.
func TestTheLedgerNoticesAForgottenConnection(t *testing.T) {
	for _, arrivals := range []schedule.Arrivals{schedule.Constant, schedule.Poisson, schedule.Burst(10)} {
		synctest.Test(t, func(t *testing.T) {
			cfg := Config{
				Schedule: schedule.Spec{Arrivals: arrivals, Rate: 1000, Duration: 10 * time.Second}, Warmup: time.Second,
				Size: 16, Connections: 4, NewWaiter: SleepWaiter,
			}.withDefaults()
			r := newRun(t.Context(), cfg, nothing{})
			if err := r.connect(t.Context(), echoes{}); err != nil {
				t.Fatal(err)
			}
			all := r.conns
			r.conns = all[:3]
			r.begin(time.Time{}) // its senders know of three
			r.conns = all
			r.supervise(t.Context())
			r.finish()
			o := r.outcome(false)
			r.teardown()
			if err := o.check(); err == nil || !strings.Contains(err.Error(), "does not add up") || o.Window.Done < 6000 {
				t.Errorf("%s: %+v, %v", arrivals, o.Window, err)
			}
		})
	}
}
