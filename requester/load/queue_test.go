package load_test

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
)

// Poisson arrivals at a server that takes s for each, one after the other, are
// the queue M/D/1. Its mean wait is W = ρ·s/(2(1−ρ)) (Pollaczek 1930, Khinchine
// 1932).
//
// How many ops it takes to see that within 2 %: waits that follow each other are
// correlated, so the variance of a mean over n of them is σ²/n with
//
//	σ² = Var W + λ/(1−ρ)·(Cov(W, W²) + 2s·Var W),
//
// since h(w) = w − W + λ(w+s)²/(2(1−ρ)) solves Poisson's equation h(w) = w − W +
// E[h(next wait) | w]. (For exponential service the same steps give the known
// ρ(2+5ρ−4ρ²+ρ³)/(1−ρ)⁴: Daley, J. Austral. Math. Soc. 8, 1968.) With Takács'
// moments of the wait it is (σ/W)² = 40/3 at ρ = 0.5 and 175/3 at ρ = 0.8: the
// standard error is 2/3 % after 300,000 and 1,312,500 ops, and 2 % is three of
// them. The seed is the default of a plan.
func TestPoissonArrivalsAtASerialServerAreMD1(t *testing.T) {
	for _, tt := range []struct {
		rate, ops int
		want      time.Duration
	}{
		{500, 300_000, ms / 2},
		{800, 1_312_500, 2 * ms},
	} {
		spec := schedule.Spec{
			Arrivals: schedule.Poisson, Rate: schedule.Rate(tt.rate), Seed: 1,
			Duration: time.Duration(tt.ops) * time.Second / time.Duration(tt.rate),
		}
		outcome, w := queue(t, load.Config{Schedule: spec})
		if due := outcome.Window.Due; outcome.Window.Done != due || due < int64(tt.ops)*99/100 {
			t.Errorf("ρ = %.1f: ledger %+v, want about %d done", float64(tt.rate)/1000, outcome.Window, tt.ops)
		}
		if off := w.mean()/float64(tt.want) - 1; off < -0.02 || off > 0.02 {
			t.Errorf("ρ = %.1f: mean wait %.0f ns of %d ops, want %d ± 2 %%", float64(tt.rate)/1000, w.mean(), w.ops, tt.want)
		} else {
			t.Logf("ρ = %.1f: mean wait %.0f ns of %d ops, %+.2f %% off", float64(tt.rate)/1000, w.mean(), w.ops, 100*off)
		}
		wantTime(t, "the longest service", w.service, ms)
	}
}

// In a burst that is served before the next one comes, op k waits for k others:
// the mean wait is s·(N−1)/2, exactly.
func TestABurstAtASerialServer(t *testing.T) {
	for _, burst := range []int{2, 10, 1000} {
		spec := schedule.Spec{Arrivals: schedule.Burst(burst), Rate: 900, Duration: 20 * time.Second}
		outcome, w := queue(t, load.Config{Schedule: spec})
		due := int64((900*20 + burst - 1) / burst * burst)
		wantLedger(t, outcome.Window, load.Ledger{Due: due, Done: due})
		wantTime(t, "the mean wait", w.sum/time.Duration(w.ops), ms*time.Duration(burst-1)/2)
		wantTime(t, "the longest wait", w.longest, ms*time.Duration(burst-1))
		wantTime(t, "the longest service", w.service, ms)
	}
}

// waits sums up how long ops waited for the server: response without service. It
// is for one connection, which records one op at a time.
type waits struct {
	ops                   int
	sum, longest, service time.Duration
}

func (w *waits) Record(op load.Op) {
	wait := op.Response() - op.Service()
	w.ops++
	w.sum += wait
	w.longest, w.service = max(w.longest, wait), max(w.service, op.Service())
}

func (w *waits) mean() float64 { return float64(w.sum) / float64(w.ops) }

// queue runs cfg in virtual time against one server that takes a millisecond for
// each op.
func queue(t *testing.T, cfg load.Config) (load.Outcome, *waits) {
	t.Helper()
	w := &waits{}
	return virtually(t, sleeper(ms), cfg, w), w
}
