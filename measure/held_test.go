package measure

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// reluctant takes a while for each message of its first connection, which it then
// answers at once.
type reluctant struct {
	requester.Factory
	takes time.Duration
}

func (f reluctant) New(conn int, sink requester.Sink) (requester.Requester, error) {
	r, err := f.Factory.New(conn, sink)
	if conn > 0 {
		return r, err
	}
	return reluctantly{r, f.takes}, err
}

type reluctantly struct {
	requester.Requester
	takes time.Duration
}

func (r reluctantly) Request(ctx context.Context, payload []byte) error {
	time.Sleep(r.takes)
	return r.Requester.Request(ctx, payload)
}

// What waits for a call of Request is held up, in the cell, its log and its verdict,
// and the generator is not late. It is a doubt where connections hold up each other.
func TestWhatWaitsForARequestIsHeldUp(t *testing.T) {
	for _, tt := range []struct {
		what        string
		arrivals    schedule.Arrivals
		connections int
		takes       time.Duration
		severity    results.Verdict
	}{
		{"a burst", schedule.Burst(100), 1, 50 * time.Microsecond, results.Valid},
		{"a connection that holds up four", schedule.Constant, 5, 4 * ms, results.Valid},
		{"senders of their own", schedule.Constant, -5, 4 * ms, ""},
	} {
		cell := cellOf(1000, 10*time.Second)
		cell.Shape.Arrivals, cell.Shape.Connections = tt.arrivals, tt.connections
		if tt.connections < 0 {
			cell.Shape.Connections, cell.Settings.Senders = -tt.connections, -tt.connections
		}
		noop, err := loopback.New(loopback.Config{})
		if err != nil {
			t.Fatal(err)
		}
		folder := newFolder(t, newStore(t), cell.ID())
		synctest.Test(t, func(t *testing.T) {
			c, err := judged(t.Context(), reluctant{noop, tt.takes}, cell, Options{Folder: folder, NewWaiter: load.SleepWaiter})
			if err != nil {
				t.Fatal(err)
			}
			p, _ := c.Problem(results.CodeHeld)
			_, late := c.Problem(results.CodeLag)
			if p.Severity != tt.severity || late || c.Lag.MaxNS != 0 || (c.Held.MaxNS > 0) != (tt.severity != "") {
				t.Errorf("%s: lag up to %d ns, held up to %d ns, problems %+v", tt.what, c.Lag.MaxNS, c.Held.MaxNS, c.Problems)
			}
			t.Logf("%s: %s", tt.what, p.Text)
		})
		wantLog(t, folder, map[string]int64{"lag": 10_000, "held": 10_000})
	}
}
