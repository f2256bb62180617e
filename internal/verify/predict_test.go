package verify

import (
	"math"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

const ms = time.Millisecond

func scenario(rate schedule.Rate, inFlight int, window time.Duration, system loopback.Config) Scenario {
	return Scenario{Name: "test", System: system, Cell: plan.Cell{
		Shape:    plan.Shape{Rate: rate, Size: 16, Connections: 1, InFlight: inFlight},
		Settings: plan.Settings{Duration: window, Warmup: time.Second, Timeout: time.Second},
	}}
}

// wantQuantile wants a percentile to follow a formula, to within the distance of
// two ops.
func wantQuantile(t *testing.T, p prediction, percentile float64, want, within time.Duration) {
	t.Helper()
	got, ok := p.Percentile(percentile)
	if !ok || math.Abs(float64(got-want)) > float64(within) {
		t.Errorf("p%v = %v (known %v), want %v ± %v", percentile, got, ok, want, within)
	}
}

// One stall S of a system that answers in parallel: Q(p) = s for p ≤ 1 − S/D,
// else s + S − (1−p)·D; the maximum is s + S, the mean s + S²/(2D).
func TestAStallOfAParallelSystem(t *testing.T) {
	const s, stall, window = 10 * ms, time.Second, 10 * time.Second
	p := predict(scenario(1000, 0, window, loopback.Config{Delay: s, Freezes: []loopback.Freeze{{At: 5 * time.Second, For: stall}}}))
	for _, percentile := range []float64{50, 75, 89} {
		wantQuantile(t, p, percentile, s, 0)
	}
	for _, percentile := range []float64{91, 95, 99, 99.9, 100} {
		// An op that is due s before the stall is the first to miss it.
		left := time.Duration((1 - percentile/100) * float64(window))
		wantQuantile(t, p, percentile, s+stall-left, s+2*ms)
	}
	want := s + stall*stall/(2*window)
	if got := p.Mean(); math.Abs(float64(got-want)) > float64(2*ms) {
		t.Errorf("mean %v, want %v", got, want)
	}
}

// A serial system of utilisation ρ: the stall reaches S/((1−ρ)·D) of the ops, and
// Q(p) = s + S − (1−p)·D·(1−ρ).
func TestAStallWithOneInFlight(t *testing.T) {
	const s, stall, window, rate = 10 * ms, time.Second, 20 * time.Second, 50
	const rho = rate * float64(s) / float64(time.Second)
	p := predict(scenario(rate, 1, window, loopback.Config{Delay: s, Freezes: []loopback.Freeze{{At: 5 * time.Second, For: stall}}}))
	share := 100 * float64(stall) / ((1 - rho) * float64(window))
	wantQuantile(t, p, 100-share-1, s, 0)
	for _, percentile := range []float64{92, 95, 99, 100} {
		left := time.Duration((1 - percentile/100) * float64(window) * (1 - rho))
		wantQuantile(t, p, percentile, s+stall-left, 2*time.Second/rate)
	}
}

// Overload, capacity μ < L, every op followed to its end: op n waits n·(1/μ − 1/L),
// so Q(p) = s + p·D·(L/μ − 1).
func TestOverloadWithOneInFlight(t *testing.T) {
	const s, window, rate = 25 * ms, 10 * time.Second, 50
	cfg := scenario(rate, 1, window, loopback.Config{Delay: s})
	cfg.Cell.Settings.Warmup = 0
	p := predict(cfg)
	for _, percentile := range []float64{10, 50, 90, 99} {
		wantQuantile(t, p, percentile, s+time.Duration(percentile/100*float64(window)*(50./40-1)), s)
	}
}

func TestWhatIsDroppedRanksAboveAll(t *testing.T) {
	p := predict(scenario(1000, 0, 10*time.Second, loopback.Config{Delay: ms, Drop: 0.02}))
	if p.Due != 10_000 || p.Done != 9800 {
		t.Errorf("due %d, done %d, want 10000 and 9800", p.Due, p.Done)
	}
	wantQuantile(t, p, 98, ms, 0)
	if v, ok := p.Percentile(98.01); ok {
		t.Errorf("p98.01 = %v although 2 %% are lost", v)
	}
	// With one in flight the next op waits until the lost one is given up.
	p = predict(scenario(10, 1, 10*time.Second, loopback.Config{Delay: ms, Drop: 0.02}))
	wantQuantile(t, p, 98, 901*ms, ms)
}

// A sender that is held for H at L messages per second sends up to H·L of them late,
// the first by H.
func TestAHeldSender(t *testing.T) {
	s := scenario(1000, 0, 10*time.Second, loopback.Config{Delay: ms})
	s.Holds = []loopback.Freeze{{At: 5 * time.Second, For: 100 * ms}}
	p := predict(s)
	wantQuantile(t, p, 50, ms, 0)
	wantQuantile(t, p, 99.5, 51*ms, ms) // half of the 1 % that were held
	wantQuantile(t, p, 100, 101*ms, ms)
}
