package measure

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// codes lists the problems that are more than notes.
func codes(list []results.Problem) string {
	var names []string
	for _, p := range list {
		if p.Severity != results.Valid {
			names = append(names, string(p.Code))
		}
	}
	return strings.Join(names, " ")
}

func TestVerdictSoFar(t *testing.T) {
	inFlight := func(n int) func(*results.Cell) { return func(c *results.Cell) { c.Plan.Shape.InFlight = n } }
	for _, tt := range []struct {
		name    string
		system  loopback.Config
		change  func(*results.Cell)
		verdict results.Verdict // from settled on, while the schedule runs
		codes   string
	}{
		{"a good target", loopback.Config{Delay: ms}, nil, results.Valid, ""},
		{"a slow one", loopback.Config{Delay: 900 * ms}, nil, results.Valid, ""},
		// One message at a time, 2 ms each, is 500 of 1,000 a second.
		{"an overload", loopback.Config{Delay: 2 * ms}, inFlight(1), results.Invalid, "rate"},
		// None of the messages that are due at 4.5 s is done at 5 s.
		{"bursts", loopback.Config{Delay: 600 * ms}, func(c *results.Cell) { c.Plan.Shape.Arrivals = schedule.Burst(1500) }, results.Valid, ""},
		{"random arrivals", loopback.Config{Delay: 20 * ms}, func(c *results.Cell) { c.Plan.Shape.Arrivals = schedule.Poisson }, results.Valid, ""},
		// Missing messages are counted at the end; until then the target seems to be behind.
		{"loss", loopback.Config{Delay: ms, Drop: 0.03}, nil, results.Suspect, "rate"},
	} {
		c := results.Cell{Plan: cellOf(1000, 8*time.Second)}
		if tt.change != nil {
			tt.change(&c)
		}
		seen, _ := reported(t, tt.system, c.Plan, 250*ms)
		for _, p := range seen {
			switch from := p.Cell.Settings.Warmup; {
			case p.Elapsed < from+period-ms && p.Verdict != "":
				t.Errorf("%s: %s after %v, in the warm-up", tt.name, p.Verdict, p.Elapsed)
			case p.Elapsed < from+settled || p.Elapsed > p.Total:
			case p.Verdict != tt.verdict || codes(p.Problems) != tt.codes:
				t.Errorf("%s: %q %v after %v, want %q %s", tt.name, p.Verdict, p.Problems, p.Elapsed, tt.verdict, tt.codes)
			}
		}
	}
}
