package search_test

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

const serving = time.Millisecond // how long the server of these tests takes for a message

// serial searches, in virtual time, on a server that takes one message after the
// other, a millisecond each.
func serial(t *testing.T, arrivals schedule.Arrivals, cfg search.Config) (search.Result, results.Run) {
	t.Helper()
	return searched(t, arrivals, 1, cfg, func(plan.Target, string) (requester.Factory, error) {
		return loopback.New(loopback.Config{Delay: serving})
	})
}

// searched searches in virtual time.
func searched(t *testing.T, arrivals schedule.Arrivals, inFlight int, cfg search.Config, open func(t plan.Target, run string) (requester.Factory, error)) (r search.Result, found results.Run) {
	t.Helper()
	store, err := results.Create(t.TempDir(), "search", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	cell := plan.Cell{
		Target:   plan.Target{Name: "serial", URL: "loopback:"},
		Shape:    plan.Shape{Rate: schedule.Rate(cfg.From), Size: 16, Connections: 1, InFlight: inFlight, Arrivals: arrivals},
		Settings: plan.Settings{Duration: cfg.Window, Warmup: time.Second, Timeout: 5 * time.Second, Seed: 1},
	}
	synctest.Test(t, func(t *testing.T) {
		runner := run.Runner{Open: open, Store: store, NewWaiter: load.SleepWaiter}
		session, err := runner.Start(plan.Plan{
			Name: "search", Targets: []plan.Target{cell.Target}, Shapes: []plan.Shape{cell.Shape}, Settings: cell.Settings,
		})
		if err != nil {
			t.Fatal(err)
		}
		if r, err = (search.Prober{Session: session, Cell: cell}).Run(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		if found, _, err = session.End(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	return r, found
}

func objective(t *testing.T, text string) plan.Objective {
	t.Helper()
	o, err := plan.ParseObjective(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// With evenly spaced arrivals, a serial server keeps the objective up to its
// capacity and not above.
func TestSearchFindsTheCapacityOfASerialServer(t *testing.T) {
	cfg := search.Config{Objectives: []plan.Objective{objective(t, "p99<5ms")}, From: 100, Window: 2 * time.Second, Confirm: 5 * time.Second}
	r, run := serial(t, schedule.Constant, cfg)
	row := r.Rows[0]
	if row.Status != search.Found || row.Rate > 1000 || row.Above <= 1000 || float64(row.Above) > 1.05*float64(row.Rate) {
		t.Errorf("%+v, want 1000/s enclosed to 5 %%", row)
	}
	if len(run.Cells) != len(r.Probes) || run.Interrupted || run.Finished.IsZero() {
		t.Errorf("%d cells in the run of %d probes: %+v", len(run.Cells), len(r.Probes), run)
	}
}

// A serial server with Poisson arrivals is an M/D/1 queue. Each probe's answer must
// agree with Lindley's recursion on the same arrivals, and each rate that is found
// with Erlang's distribution of the wait.
func TestSearchFindsWhatMD1Allows(t *testing.T) {
	limits := []time.Duration{3 * time.Millisecond, 10 * time.Millisecond}
	cfg := search.Config{From: 100, Window: 10 * time.Second, Confirm: 20 * time.Second, Precision: 0.15, AtMost: time.Hour}
	for _, limit := range limits {
		cfg.Objectives = append(cfg.Objectives, objective(t, fmt.Sprintf("p99<%v", limit)))
	}
	r, _ := serial(t, schedule.Poisson, cfg)
	for _, p := range r.Probes {
		p99, reached := lindley(p.Cell.Plan)
		for i, limit := range limits {
			want := search.Missed
			if p99 < limit && reached >= 0.99 {
				want = search.Kept
			}
			// The histogram has three digits.
			if near := math.Abs(float64(p99)/float64(limit) - 1); p.Answers[i].Answer != want && near > 0.001 {
				t.Errorf("%d/s for %v, p99<%v: %+v; by the recursion p99 is %v and %.3f are reached", p.Rate, p.Window, limit, p.Answers[i], p99, reached)
			}
		}
	}
	for i, row := range r.Rows {
		truth := capacityOfMD1(limits[i])
		t.Logf("%v: %d–%d/s, by formula %.1f/s: %+v, not %+v", row.Objective, row.Rate, row.Above, truth, row.At, row.Over)
		if row.Status != search.Found || float64(row.Rate) > truth || float64(row.Above) < truth || float64(row.Above) > 1.151*float64(row.Rate) {
			t.Errorf("%+v, want %.1f enclosed to 15 %%", row, truth)
		}
	}
}

// lindley returns the p99 of the window's response times, and the part of the rate
// that was reached. Each message waits until the one before is served (Lindley,
// Proc. Camb. Phil. Soc. 48, 1952).
func lindley(cell plan.Cell) (p99 time.Duration, reached float64) {
	var responses []time.Duration
	var free, first time.Duration
	for due := range cell.Schedule().Offsets(schedule.Part{}) {
		free = max(free, due) + serving
		if due < cell.Settings.Warmup {
			continue
		}
		if len(responses) == 0 {
			first = free
		}
		responses = append(responses, free-due)
	}
	n := len(responses)
	slices.Sort(responses)
	return responses[(99*n+99)/100-1], float64(cell.Settings.Duration) / float64(max(cell.Settings.Duration, free-first))
}

// capacityOfMD1 returns the rate at which the p99 of the response equals the limit.
// The wait W in an M/D/1 queue with service time s follows (Erlang 1909)
//
//	P(W ≤ t) = (1−ρ) Σ_{k ≤ t/s} (λ(ks−t))^k/k! · e^{−λ(ks−t)}
func capacityOfMD1(limit time.Duration) float64 {
	s, wait := serving.Seconds(), (limit - serving).Seconds()
	below := func(rate float64) float64 {
		sum := 0.0
		for k := 0.0; k <= wait/s+1e-9; k++ {
			x := rate * (k*s - wait)
			sum += math.Pow(x, k) / math.Gamma(k+1) * math.Exp(-x) // Γ(k+1) = k!
		}
		return (1 - rate*s) * sum
	}
	const part = 1000 // of a message per second
	return float64(sort.Search(int(part/s), func(n int) bool { return below(float64(n)/part) < 0.99 })) / part
}
