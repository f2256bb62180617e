package measure

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// Six messages a minute: the second and the third of the schedule are due in a
// window of 25 s, on whichever of three connections, and with each arrivals.
func TestRatesBelowOnePerSecond(t *testing.T) {
	for _, inFlight := range []int{0, 1} {
		cell := cellOf(schedule.RateOf(6*schedule.PerMinute), 25*time.Second)
		cell.Shape.Connections, cell.Shape.InFlight = 3, inFlight
		c := virtual(t, loopback.Config{Delay: 5 * ms}, cell, Options{ID: cell.ID()})
		if c.Ledger.Due != 2 || c.Ledger.Done != 2 || c.WarmupLedger.Done != 1 || c.OfferedPerS != 0.08 || c.ReachedPerS != 0.08 {
			t.Errorf("in flight %d: %+v, warm-up %+v, %v/s of %v/s", inFlight, c.Ledger, c.WarmupLedger, c.ReachedPerS, c.OfferedPerS)
		}
		if c.Response.MaxNS != int64(5*ms) || (c.Corrected != nil) != (inFlight == 1) {
			t.Errorf("in flight %d: response %+v, corrected %+v", inFlight, c.Response, c.Corrected)
		}
		p, _ := c.Problem(results.CodeWindow)
		if !strings.Contains(p.Text, "a window of 27h46m40s would do") || c.ID != "loopback-0.1-64B-c3-"+map[int]string{0: "fopen", 1: "f1"}[inFlight]+"-r1" {
			t.Errorf("%s: %q", c.ID, p.Text)
		}
	}
}

// The interval of HdrHistogram's correction of a slow rate on many connections is
// longer than any latency, and does not overflow.
func TestIntervalsOfSlowRates(t *testing.T) {
	for rate, want := range map[schedule.Rate]time.Duration{schedule.MinRate: 1 << 20 * time.Hour, 0.1: 1 << 20 * 10 * time.Second, 333_333: 3_145_731_145} {
		cell := cellOf(rate, time.Second)
		cell.Shape.Connections, cell.Shape.InFlight = 1<<20, 1
		if got, ok := record.CorrectionInterval(cell); got != want || !ok {
			t.Errorf("%v: %v, %v; want %v", rate, got, ok, want)
		}
	}
}
