package search_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
)

// heated searches on a server of 5,000/s that an overload makes slow for a time.
func heated(t *testing.T, recovers time.Duration) search.Result {
	t.Helper()
	s := server{mean: 200 * time.Microsecond, slower: 2.15, recovers: recovers, warmup: time.Second, draw: rand.New(rand.NewPCG(1, 7))}
	cfg := search.Config{Objectives: []plan.Objective{parse(t, "p99<5ms")}}
	r, err := search.Search(t.Context(), cfg, s.probe(cfg.Objectives))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A target that is slow for a minute after an overload is measured after a rest. The probes in
// between, of which the lowest would halve its rate, are kept and decide nothing.
func TestHysteresisIsWaitedFor(t *testing.T) {
	r := heated(t, time.Minute)
	if row := r.Rows[0]; row.Status != search.Found || row.Rate < 4200 || row.Above > 4900 || r.Hysteresis < time.Minute {
		t.Errorf("%+v, %v", row, r.Hysteresis)
	}
	spoiled := 0
	for _, p := range r.Probes {
		if p.Spoiled {
			spoiled++
		}
	}
	if spoiled == 0 {
		t.Error("no probe is spoiled")
	}
}

func TestATargetThatStaysSlowHasHysteresis(t *testing.T) {
	r := heated(t, 24*time.Hour)
	row := r.Rows[0]
	if row.Status != search.Hysteresis || row.Reason == "" || row.Above > 0 && row.Above < 5000 || search.Worst([]search.Result{r}) != search.Hysteresis {
		t.Errorf("%+v", row)
	}
}

// A target whose speed varies by 10 % between probes is not decided, for that reason.
func TestProbesThatDisagreeAreNotDecided(t *testing.T) {
	reasons := 0
	for seed := range uint64(4) {
		s := server{mean: 200 * time.Microsecond, vary: 0.1, warmup: time.Second, draw: rand.New(rand.NewPCG(seed, 7))}
		cfg := search.Config{Objectives: []plan.Objective{parse(t, "p99<5ms")}}
		r, err := search.Search(t.Context(), cfg, s.probe(cfg.Objectives))
		if err != nil {
			t.Fatal(err)
		}
		if row := r.Rows[0]; row.Status == search.NotDecided && row.Reason != "" {
			reasons++
		}
	}
	if reasons < 2 {
		t.Errorf("%d of 4 searches say that the speed varies", reasons)
	}
}
