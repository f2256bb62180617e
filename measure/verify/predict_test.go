package verify

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/results"
)

const ms = time.Millisecond

func scenario(rate schedule.Rate, inFlight int, window time.Duration, system loopback.Config) Scenario {
	return Scenario{"test", system, plan.Cell{
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
	p := predict(scenario(1000, 0, window, loopback.Config{Delay: s, Freezes: []loopback.Freeze{{At: 5 * time.Second, For: stall}}}), 0)
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
	p := predict(scenario(rate, 1, window, loopback.Config{Delay: s, Freezes: []loopback.Freeze{{At: 5 * time.Second, For: stall}}}), 0)
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
	p := predict(cfg, 0)
	for _, percentile := range []float64{10, 50, 90, 99} {
		wantQuantile(t, p, percentile, s+time.Duration(percentile/100*float64(window)*(50./40-1)), s)
	}
}

func TestWhatIsDroppedRanksAboveAll(t *testing.T) {
	p := predict(scenario(1000, 0, 10*time.Second, loopback.Config{Delay: ms, Drop: 0.02}), 0)
	if p.Due != 10_000 || p.Done != 9800 {
		t.Errorf("due %d, done %d, want 10000 and 9800", p.Due, p.Done)
	}
	wantQuantile(t, p, 98, ms, 0)
	if v, ok := p.Percentile(98.01); ok {
		t.Errorf("p98.01 = %v although 2 %% are lost", v)
	}
	// With one in flight the next op waits until the lost one is given up.
	p = predict(scenario(10, 1, 10*time.Second, loopback.Config{Delay: ms, Drop: 0.02}), 0)
	wantQuantile(t, p, 98, 901*ms, ms)
}

func TestOverheadAddsUpOnlyWhereOpsWaitForEachOther(t *testing.T) {
	open := predict(scenario(100, 0, time.Second, loopback.Config{Delay: 20 * ms}), ms)
	wantQuantile(t, open, 100, 21*ms, 0)
	serial := predict(scenario(50, 1, time.Second, loopback.Config{Delay: 20 * ms}), ms)
	wantQuantile(t, serial, 100, 21*ms+(2*50-1)*ms, 0) // each op, of the warm-up too, is one more ms late
}

// cellFor returns a cell as the engine would give it for exact responses.
func cellFor(p prediction) *results.Cell {
	c := &results.Cell{Ledger: results.Ledger{Due: p.Due, Done: p.Done, Lost: p.Due - p.Done}}
	c.Response = results.Distribution{Count: p.Done, MeanNS: int64(p.Mean())}
	for _, percentile := range results.Percentiles() {
		row := results.Percentile{Percentile: percentile}
		if v, ok := p.Percentile(percentile); ok {
			ns := int64(v)
			row.ValueNS = &ns
		}
		c.Response.Percentiles = append(c.Response.Percentiles, row)
	}
	return c
}

func outside(rows []Row) (names []string) {
	for _, r := range rows {
		if !r.Within {
			names = append(names, r.Name)
		}
	}
	return names
}

func TestCompareAcceptsWhatIsRight(t *testing.T) {
	for _, s := range Scenarios(Settings{}) {
		p := predict(s, 0)
		if names := outside(compare(p, cellFor(p), limits{relative: relative, base: delay})); names != nil {
			t.Errorf("%s, %s: %v outside", s.Name, s.Mode(), names)
		}
	}
}

// What a closed-loop tool measures of the same stall, and a tool that forgets the
// lost or the last stall, must not pass.
func TestCompareRefusesTheUsualMistakes(t *testing.T) {
	list := Scenarios(Settings{})
	of := func(name string) Scenario {
		i := slices.IndexFunc(list, func(s Scenario) bool { return s.Name == name })
		return list[i]
	}
	stalled, end, dropped := of("a stall of 1 s"), of("a stall of 1 s that begins 0.3 s before the end"), of("2 % never answered")
	calm := predict(Scenarios(Settings{})[0], 0)

	omitted := predict(stalled, 0) // one op sees the stall
	for i := range omitted.Response[:omitted.Done-1] {
		omitted.Response[i] = delay
	}
	forgotten := predict(dropped, 0)
	forgotten.Due = forgotten.Done
	for _, tt := range []struct {
		name     string
		scenario Scenario
		measured prediction
		want     []string
	}{
		{"coordinated omission", stalled, omitted, []string{"p90", "p99", "p99.9", "mean"}},
		{"the last stall forgiven", end, calm, []string{"p99", "p99.9", "p99.99", "max", "mean"}},
		{"the lost forgotten", dropped, forgotten, []string{"due", "lost", "p99", "p99.9", "p99.99", "max"}},
	} {
		got := outside(compare(predict(tt.scenario, 0), cellFor(tt.measured), limits{relative: relative, base: delay}))
		for _, name := range tt.want {
			if !slices.Contains(got, name) {
				t.Errorf("%s passes row %s; outside are %v", tt.name, name, got)
			}
		}
	}
}

func TestTolerances(t *testing.T) {
	second := int64(time.Second)
	for _, tt := range []struct {
		name      string
		expected  time.Duration
		limit     time.Duration
		measured  int64
		tolerance time.Duration
		within    bool
	}{
		{"1 % of a second", time.Second, 2 * ms, second + int64(10*ms), 10 * ms, true},
		{"above it", time.Second, 2 * ms, second + int64(10*ms) + 1, 10 * ms, false},
		{"below it", time.Second, 2 * ms, second - int64(10*ms) - 1, 10 * ms, false},
		{"2 ms of little", 5 * ms, 2 * ms, int64(7 * ms), 2 * ms, true},
		{"more than 2 ms", 5 * ms, 2 * ms, int64(7*ms) + 1, 2 * ms, false},
	} {
		r := limits{relative: relative}.nanoseconds("p99", tt.expected, true, &tt.measured, tt.limit)
		if r.Tolerance != int64(tt.tolerance) || r.Within != tt.within {
			t.Errorf("%s: %+v, want tolerance %v, within %v", tt.name, r, tt.tolerance, tt.within)
		}
	}
}
