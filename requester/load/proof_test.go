package load_test

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/requester/load"
)

const ms = time.Millisecond

// One freeze S in a run D: the response of the ops due in it falls from S to 0,
// so Q(p) = S − (1−p)·D beyond p = 1 − S/D.
func TestOneFreeze(t *testing.T) {
	f := system(t, loopback.Config{Delay: ms, Freezes: []loopback.Freeze{{At: 5 * time.Second, For: time.Second}}})
	outcome, k := virtual(t, f, load.Config{Schedule: constant(1000, 10*time.Second)})
	wantLedger(t, outcome.Window, load.Ledger{Due: 10_000, Done: 10_000})
	response := k.sorted(load.Op.Response)
	wantTime(t, "p50", quantile(response, 50), ms)
	wantTime(t, "p90", quantile(response, 90), ms)
	wantTime(t, "p95", quantile(response, 95), 500*ms)
	wantTime(t, "p99", quantile(response, 99), 900*ms)
	wantTime(t, "max", quantile(response, 100), time.Second)
	wantTime(t, "worst lag", quantile(k.sorted(load.Op.Lag), 100), 0)
}

// The classic of Gil Tene: 100 s perfect, 100 s frozen.
func TestClassicFreeze(t *testing.T) {
	f := system(t, loopback.Config{Delay: ms, Freezes: []loopback.Freeze{{At: 100 * time.Second, For: 100 * time.Second}}})
	cfg := load.Config{Schedule: constant(100, 200*time.Second), Timeout: 300 * time.Second}
	outcome, k := virtual(t, f, cfg)
	wantLedger(t, outcome.Window, load.Ledger{Due: 20_000, Done: 20_000})
	response := k.sorted(load.Op.Response)
	wantTime(t, "p50", quantile(response, 50), ms)
	wantTime(t, "p75", quantile(response, 75), 50*time.Second)
	wantTime(t, "p99.99", quantile(response, 99.99), 99_980*ms)
	wantTime(t, "max", quantile(response, 100), 100*time.Second)
	if got, want := mean(response).Seconds(), 25.0; got < want*0.999 || got > want*1.001 {
		t.Errorf("mean = %.3f s, want 25 s within 0.1 %%", got)
	}
}

// What a closed-loop tool would have said of the same: with one op in flight the
// service time sees the freeze once.
func TestClassicFreezeOneInFlight(t *testing.T) {
	f := system(t, loopback.Config{Delay: ms, Freezes: []loopback.Freeze{{At: 100 * time.Second, For: 100 * time.Second}}})
	cfg := load.Config{Schedule: constant(100, 200*time.Second), Timeout: 300 * time.Second, InFlight: 1}
	outcome, k := virtual(t, f, cfg)
	wantLedger(t, outcome.Window, load.Ledger{Due: 20_000, Done: 20_000})
	service, response := k.sorted(load.Op.Service), k.sorted(load.Op.Response)
	wantTime(t, "service p75", quantile(service, 75), ms)
	wantTime(t, "service p99.99", quantile(service, 99.99), ms)
	wantTime(t, "service max", quantile(service, 100), 100*time.Second)
	// The queue drains at 1,000/s while 100/s come in: op k behind the freeze
	// waits 100 s − k·(10 ms − 1 ms), and the ops behind rank 75 % are 5,000.
	wantTime(t, "response p75", quantile(response, 75), 100*time.Second-5000*9*ms)
	wantTime(t, "response max", quantile(response, 100), 100*time.Second)
}

func TestFreezeAtTheEndIsNotForgiven(t *testing.T) {
	f := system(t, loopback.Config{Delay: ms, Freezes: []loopback.Freeze{{At: 8 * time.Second, For: 4 * time.Second}}})
	outcome, k := virtual(t, f, load.Config{Schedule: constant(1000, 10*time.Second)})
	wantLedger(t, outcome.Window, load.Ledger{Due: 10_000, Done: 10_000})
	response := k.sorted(load.Op.Response)
	wantTime(t, "p80", quantile(response, 80), ms)
	wantTime(t, "p90", quantile(response, 90), 3*time.Second)
	wantTime(t, "max", quantile(response, 100), 4*time.Second)
}

func TestFreezeBeyondTheTimeoutIsLost(t *testing.T) {
	f := system(t, loopback.Config{Delay: ms, Freezes: []loopback.Freeze{{At: 8 * time.Second, For: time.Hour}}})
	cfg := load.Config{Schedule: constant(1000, 10*time.Second), Timeout: 5 * time.Second}
	outcome, _ := virtual(t, f, cfg)
	wantLedger(t, outcome.Window, load.Ledger{Due: 10_000, Done: 8000, Lost: 2000})
	wantTime(t, "elapsed", outcome.Elapsed, 15*time.Second)
}

// Overload, λ = 200/s on μ = 100/s: op n is due at n/λ and done at (n+1)/μ.
func TestOverloadGrowsTheResponseNotTheLag(t *testing.T) {
	outcome, k := virtual(t, sleeper(10*ms), load.Config{Schedule: constant(200, 10*time.Second)})
	wantLedger(t, outcome.Window, load.Ledger{Due: 2000, Done: 2000})
	for _, op := range k.ops.all {
		n := time.Duration(op.Seq)
		wantTime(t, "response", op.Response(), (n+1)*10*ms-n*5*ms)
		wantTime(t, "service", op.Service(), 10*ms)
		if !op.Queued {
			wantTime(t, "lag", op.Lag(), 0)
		}
	}
	wantTime(t, "the last is done at", outcome.LastDone, 20*time.Second)
}

func TestAnOddRateOverSevenConnections(t *testing.T) {
	outcome, _ := virtual(t, system(t, loopback.Config{}), load.Config{Schedule: constant(333_333, 50*ms), Connections: 7})
	wantLedger(t, outcome.Window, load.Ledger{Due: 16_667, Done: 16_667})
}
