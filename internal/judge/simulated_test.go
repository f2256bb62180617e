package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/simulation"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// A server serves one message at a time, in the order in which they are due (Lindley's
// recursion), and stands still now and then.
type server struct {
	rate    float64                                                         // messages a second
	poisson bool                                                            // else they are due evenly
	service func(random *rand.Rand, at, window time.Duration) time.Duration // of one message
	pause   time.Duration                                                   // for so long …
	every   time.Duration                                                   // … after so long on average; 0: never
	window  time.Duration
}

// steadily takes that long for each message.
func steadily(d time.Duration) func(*rand.Rand, time.Duration, time.Duration) time.Duration {
	return func(*rand.Rand, time.Duration, time.Duration) time.Duration { return d }
}

// lognormal takes that long on average, with a standard deviation of the logarithm.
func lognormal(mean time.Duration, sigma float64) func(*rand.Rand, time.Duration, time.Duration) time.Duration {
	return func(random *rand.Rand, _, _ time.Duration) time.Duration {
		return time.Duration(float64(mean) * math.Exp(sigma*random.NormFloat64()-sigma*sigma/2))
	}
}

// run gives each second of a window with its replies to take, in order.
func (s server) run(seed uint64, take func(from time.Duration, h *histogram.Histogram)) {
	random := rand.New(rand.NewPCG(seed, 7))
	second := histogram.New()
	gap := time.Duration(float64(time.Second) / s.rate)
	exponential := func(mean time.Duration) time.Duration { return time.Duration(random.ExpFloat64() * float64(mean)) }
	var due, free, from time.Duration
	pause := time.Duration(math.MaxInt64)
	if s.every > 0 {
		pause = exponential(s.every)
	}
	for due < s.window {
		begin := max(due, free)
		for begin >= pause {
			begin, pause = max(begin, pause+s.pause), pause+s.pause+exponential(s.every)
		}
		free = begin + s.service(random, due, s.window)
		for free >= from+time.Second && from+time.Second < s.window {
			take(from, second)
			second.Reset()
			from += time.Second
		}
		second.Record(free - due)
		if s.poisson {
			due += exponential(gap)
		} else {
			due += gap
		}
	}
	take(from, second)
}

// steadinessOf judges one run of a server.
func steadinessOf(s server, seed uint64) *results.Steady {
	var t trend
	s.run(seed, func(_ time.Duration, h *histogram.Histogram) { t.add(h) })
	return t.steady(s.rate)
}

// A verdicts counts how the runs of one server were judged.
type verdicts struct{ diverges, undecided, moved, early int }

func (v *verdicts) add(s *results.Steady) {
	switch {
	case s.Diverges():
		v.diverges++
	case s.Undecided:
		v.undecided++
	case s.ColdNS > 0:
		v.early++
	case s.Sure || s.Level != nil:
		v.moved++
	}
}

// autocorrelated takes log-normal times around a level that wanders, with a standard deviation of
// its logarithm and a memory.
func autocorrelated(sd float64, memory time.Duration) func(*rand.Rand, time.Duration, time.Duration) time.Duration {
	var x float64
	last := time.Duration(math.MaxInt64)
	return func(random *rand.Rand, at, _ time.Duration) time.Duration {
		kept := math.Exp(-float64(at-last) / float64(memory))
		if at < last { // of the run before
			kept = 0
		}
		x, last = kept*x+math.Sqrt(1-kept*kept)*random.NormFloat64(), at
		return time.Duration(1e5 * math.Exp(sd*x+0.3*random.NormFloat64()))
	}
}

// changed takes so many times as long in a part of the window.
func changed(from, to, by float64) func(*rand.Rand, time.Duration, time.Duration) time.Duration {
	return func(random *rand.Rand, at, window time.Duration) time.Duration {
		d := 1e5 * math.Exp(0.5*random.NormFloat64())
		if share := float64(at) / float64(window); share >= from && share < to {
			d *= by
		}
		return time.Duration(d)
	}
}

func drifted(by float64) func(*rand.Rand, time.Duration, time.Duration) time.Duration {
	return func(random *rand.Rand, at, window time.Duration) time.Duration {
		return time.Duration(1e5 * math.Pow(by, float64(at)/float64(window)) * math.Exp(0.5*random.NormFloat64()))
	}
}

// TestSimulatedSteadiness is the proof of the rules rate, steady and warmup: false alarms
// with steady servers, and what is found of others.
func TestSimulatedSteadiness(t *testing.T) {
	const us = time.Microsecond
	runs, windows := 25, []time.Duration{6 * time.Second, 10 * time.Second}
	if *simulation.Long {
		runs, windows = 400, []time.Duration{6 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute}
	}
	page := simulation.NewPage(t, "steady", "# Is it steady?\n\nA simulated server is measured for one window at 1,000/s unless another rate is named, and judged by the rules `rate`, `steady` and `warmup`. "+
		"Made by `go test ./internal/judge -run Simulated -args -long`.")
	table := func(about string) {
		page.Table(about, "server", "window", "INVALID: diverges", "SUSPECT: may diverge, not decided", "SUSPECT: not steady", "SUSPECT: began too early")
	}
	type row struct {
		name string
		server
		least int // per cent of the runs of 10 s or more that have to be found; 0: any
	}
	judge := func(r row, check func(r row, v verdicts)) {
		for _, r.window = range windows {
			var v verdicts
			for seed := range runs {
				s := steadinessOf(r.server, uint64(seed))
				if s == nil {
					t.Fatalf("%s: not judged", r.name)
				}
				v.add(s)
			}
			share := func(n int) string { return simulation.Percent(n, runs) }
			page.Row(r.name, r.window.String(), share(v.diverges), share(v.undecided), share(v.moved), share(v.early))
			check(r, v)
		}
	}
	few := max(2, runs*2/100)
	table(fmt.Sprintf("Steady servers, %d runs each: INVALID and \"not steady\" are false alarms.", runs))
	for _, r := range []row{
		{"1 ms, constant arrivals, half busy", server{rate: 1000, service: steadily(500 * us)}, 0},
		{"M/D/1, 50 % busy", server{rate: 1000, poisson: true, service: steadily(500 * us)}, 0},
		{"M/D/1, 80 % busy", server{rate: 1000, poisson: true, service: steadily(800 * us)}, 0},
		{"M/D/1, 95 % busy", server{rate: 1000, poisson: true, service: steadily(950 * us)}, 0},
		{"M/D/1, 98 % busy", server{rate: 1000, poisson: true, service: steadily(980 * us)}, 0},
		{"M/G/1, log-normal σ 1, 80 % busy", server{rate: 1000, poisson: true, service: lognormal(800*us, 1)}, 0},
		{"M/G/1, log-normal σ 1, 98 % busy", server{rate: 1000, poisson: true, service: lognormal(980*us, 1)}, 0},
		{"constant arrivals, log-normal σ 1, 98 % busy", server{rate: 1000, service: lognormal(980*us, 1)}, 0},
		{"AR(1), 20 %, memory 1 s", server{rate: 1000, service: autocorrelated(0.2, time.Second)}, 0},
		{"AR(1), 20 %, memory 10 s", server{rate: 1000, service: autocorrelated(0.2, 10*time.Second)}, 0},
		{"AR(1), 50 %, memory 10 s", server{rate: 1000, service: autocorrelated(0.5, 10*time.Second)}, 0},
		{"pauses of 50 ms every 5 s, log-normal", server{rate: 1000, service: lognormal(100*us, 0.5), pause: 50 * ms, every: 5 * time.Second}, 0},
		{"pauses of 200 ms every 5 s", server{rate: 1000, service: steadily(100 * us), pause: 200 * ms, every: 5 * time.Second}, 0},
		{"pauses of 200 ms every 30 s, log-normal", server{rate: 1000, service: lognormal(100*us, 0.5), pause: 200 * ms, every: 30 * time.Second}, 0},
		{"log-normal σ 1, 20/s", server{rate: 20, service: lognormal(100*us, 1)}, 0},
		{"log-normal σ 1, 1/s", server{rate: 1, service: lognormal(100*us, 1)}, 0},
	} {
		judge(r, func(r row, v verdicts) {
			if v.diverges > max(1, runs/100) || v.moved > few {
				t.Errorf("%s, %v: %+v of %d are false alarms", r.name, r.window, v, runs)
			}
		})
	}
	table(fmt.Sprintf("A rate above the capacity of 1,000/s, %d runs each: every answer but the first two is a miss.", runs))
	for _, r := range []row{
		{"1,002/s", server{rate: 1002, service: steadily(ms)}, 90},
		{"1,009/s", server{rate: 1009, service: steadily(ms)}, 90},
		{"1,009/s, log-normal σ 0.5", server{rate: 1009, service: lognormal(ms, 0.5)}, 0},
		{"1,009/s, Poisson", server{rate: 1009, poisson: true, service: steadily(ms)}, 0},
		{"1,020/s, Poisson", server{rate: 1020, poisson: true, service: steadily(ms)}, 0},
		{"1,050/s, Poisson", server{rate: 1050, poisson: true, service: steadily(ms)}, 85},
		{"1,050/s, Poisson, log-normal σ 1", server{rate: 1050, poisson: true, service: lognormal(ms, 1)}, 50},
		{"1,020/s with pauses of 200 ms every 30 s", server{rate: 1020, service: steadily(ms), pause: 200 * ms, every: 30 * time.Second}, 60},
	} {
		judge(r, func(r row, v verdicts) {
			if r.window >= 10*time.Second && v.diverges < runs*r.least/100 {
				t.Errorf("%s, %v: %+v of %d diverge", r.name, r.window, v, runs)
			}
		})
	}
	table(fmt.Sprintf("Servers that change, %d runs each: every answer but the last two is a miss.", runs))
	for _, r := range []row{
		{"five times as slow from the middle on", server{rate: 1000, service: changed(0.5, 1, 5)}, 95},
		{"five times as slow in the first quarter", server{rate: 1000, service: changed(0, 0.25, 5)}, 95},
		{"five times as slow in the last quarter", server{rate: 1000, service: changed(0.75, 1, 5)}, 95},
		{"five times as slow from 37 to 68 %", server{rate: 1000, service: changed(0.37, 0.68, 5)}, 95},
		{"35 % slower from the middle on", server{rate: 1000, service: changed(0.5, 1, 1.35)}, 60},
		{"35 % slower from 37 to 68 %", server{rate: 1000, service: changed(0.37, 0.68, 1.35)}, 0},
		{"five times as slow from the middle on, M/D/1 from 10 to 50 % busy", server{rate: 1000, poisson: true, service: func(_ *rand.Rand, at, window time.Duration) time.Duration {
			if at < window/2 {
				return 100 * us
			}
			return 500 * us
		}}, 95},
		{"rises by 35 %", server{rate: 1000, service: drifted(1.35)}, 50},
		{"falls by 35 %", server{rate: 1000, service: drifted(1 / 1.35)}, 50},
		{"doubles", server{rate: 1000, service: drifted(2)}, 95},
		{"rises by 10 %: too little to matter", server{rate: 1000, service: drifted(1.1)}, 0},
		{"three times as slow at first, warm after a twelfth", server{rate: 1000, service: func(random *rand.Rand, at, window time.Duration) time.Duration {
			return time.Duration(1e5 * (1 + 2*math.Exp(-12*float64(at)/float64(window))) * math.Exp(0.3*random.NormFloat64()))
		}}, 0},
	} {
		judge(r, func(r row, v verdicts) {
			if r.window >= 10*time.Second && v.moved+v.early < runs*r.least/100 {
				t.Errorf("%s, %v: found in %+v of %d", r.name, r.window, v, runs)
			}
		})
	}
}

// A hiccuping process is kept from running now and then: each millisecond has the lateness of its
// wake-up and a message, and each second a slow reply, log-normal around 4 ms.
type hiccuping struct {
	every  int  // seconds from one hiccup to the next
	least  int  // milliseconds; a hiccup takes up to twice that
	cause  bool // messages wait until it is over
	window int  // in seconds
}

func (s hiccuping) run(seed uint64) *results.Cell {
	random := rand.New(rand.NewPCG(seed, 3))
	var p record.HiccupPairs
	responses, hiccups := histogram.New(), histogram.New()
	for second := range s.window {
		slow, begin, length := random.IntN(900), random.IntN(900), 0
		if second%s.every == 0 {
			length = s.least + random.IntN(s.least)
		}
		var longest, hiccup time.Duration
		for i := range 1000 {
			late := time.Duration(random.ExpFloat64() * float64(30*time.Microsecond))
			response := 200*time.Microsecond + late
			if i == slow {
				response = time.Duration(4 * float64(ms) * math.Exp(0.5*random.NormFloat64()))
			}
			if i >= begin && i < begin+length {
				if late += time.Duration(begin+length-i) * ms; s.cause {
					response += late
				}
			}
			responses.Record(response)
			hiccups.Record(late)
			longest, hiccup = max(longest, response), max(hiccup, late)
		}
		p.Add(longest, hiccup)
	}
	c := &results.Cell{Response: results.RanksOf(responses, 0), Hiccup: new(results.RanksOf(hiccups, 0))}
	c.Tail = p.Tail(worstSeconds)
	return c
}

// TestSimulatedHiccups is the proof of the rule hiccups: what has nothing to do with the
// tail is not blamed for it, and what makes the tail is.
func TestSimulatedHiccups(t *testing.T) {
	runs := 100
	if *simulation.Long {
		runs = 1000
	}
	page := simulation.NewPage(t, "hiccups", "# Are hiccups to blame?\n\nA message is due each millisecond; each second of a window has a reply that takes long, log-normal around 4 ms, and hiccups of 10 to 20 ms, or of 2 to 4 ms, now and then. "+
		"Made by `go test ./internal/judge -run Simulated -args -long`.")
	page.Table(fmt.Sprintf("%d windows each. Where seconds cannot tell, percentiles are compared; there no hiccup was blamed before.", runs),
		"hiccups", "window", "messages", "seconds can tell", "blamed for p99.9")
	for _, c := range []struct {
		hiccuping
		least, most int // per cent of the windows
	}{
		{hiccuping{1, 10, false, 10}, 0, 2},
		{hiccuping{2, 10, false, 10}, 0, 5},
		{hiccuping{5, 10, false, 10}, 0, 100},
		{hiccuping{1, 2, false, 10}, 0, 100},
		{hiccuping{1, 10, false, 60}, 0, 2},
		{hiccuping{2, 10, false, 60}, 0, 2},
		{hiccuping{5, 10, false, 60}, 0, 2},
		{hiccuping{1, 2, false, 60}, 0, 100},
		{hiccuping{1, 10, true, 10}, 95, 100},
		{hiccuping{2, 10, true, 10}, 95, 100},
		{hiccuping{5, 10, true, 10}, 95, 100},
		{hiccuping{1, 10, true, 60}, 95, 100},
		{hiccuping{2, 10, true, 60}, 95, 100},
		{hiccuping{5, 10, true, 60}, 95, 100},
		{hiccuping{10, 10, true, 300}, 95, 100},
		{hiccuping{20, 10, true, 60}, 0, 100},
	} {
		blamed, decided := 0, 0
		for seed := range runs {
			cell := c.run(uint64(seed))
			if bySeconds(cell.Tail) {
				decided++
			}
			if p := hiccups(cell); p.Limit("response", 99.9) {
				blamed++
			}
		}
		words := map[bool]string{false: "go on", true: "wait"}
		page.Row(fmt.Sprintf("%d to %d ms every %d s", c.hiccuping.least, 2*c.hiccuping.least, c.every), fmt.Sprintf("%d s", c.window), words[c.cause],
			simulation.Percent(decided, runs), simulation.Percent(blamed, runs))
		if blamed < runs*c.least/100 || blamed > max(runs*c.most/100, 2) {
			t.Errorf("%+v: blamed in %d of %d", c, blamed, runs)
		}
	}
}

// answered returns a cell at a rate with that response, whatever else.
func answered(rate schedule.Rate, response time.Duration) *results.Cell {
	return &results.Cell{Plan: plan.Cell{Shape: plan.Shape{Rate: rate, Arrivals: schedule.Constant}}, Response: distribution(response)}
}

// TestSimulatedPauses is the proof of the bound of the rate of pauses.
func TestSimulatedPauses(t *testing.T) {
	runs := 100
	if *simulation.Long {
		runs = 1000
	}
	page := simulation.NewPage(t, "pauses", "# How often does it pause?\n\nA simulated server stands still after an exponential time. Each window counts its pauses, and bounds their rate "+
		"from above with 95 % confidence. Made by `go test ./internal/judge -run Simulated -args -long`.")
	page.Table(fmt.Sprintf("%d windows each at 200/s.", runs), "pauses", "window", "seen on average", "windows without any", "the bound holds")
	for _, c := range []struct {
		pause, every, window time.Duration
	}{
		{200 * ms, 30 * time.Second, 30 * time.Second},
		{200 * ms, 30 * time.Second, time.Minute},
		{200 * ms, 150 * time.Second, 30 * time.Second},
		{50 * ms, 10 * time.Second, time.Minute},
		{200 * ms, 5 * time.Second, time.Minute},
		{200 * ms, 2 * time.Second, time.Minute}, // two in a second are one
	} {
		s := server{rate: 200, service: steadily(100 * time.Microsecond), pause: c.pause, every: c.every, window: c.window}
		seen, none, holds := int64(0), 0, 0
		for seed := range runs {
			var p pauses
			s.run(uint64(seed), func(from time.Duration, h *histogram.Histogram) { p.add(from, h.Max()) })
			r := p.result(answered(200, 100*time.Microsecond), c.window)
			seen += r.Count
			if r.Count == 0 {
				none++
			}
			if r.AtMostPerS >= 1/(c.every+c.pause).Seconds() {
				holds++
			}
		}
		page.Row(fmt.Sprintf("%v every %v", c.pause, c.every), c.window.String(), fmt.Sprintf("%.2f", float64(seen)/float64(runs)), simulation.Percent(none, runs), simulation.Percent(holds, runs))
		if holds < runs*90/100 {
			t.Errorf("%+v: the bound holds in %d of %d", c, holds, runs)
		}
	}
	var none pauses
	for second := range 30 * time.Second / time.Second {
		none.add(second*time.Second, ms)
	}
	if r := none.result(answered(200, ms), 30*time.Second); r.Count != 0 || math.Abs(r.AtMostPerS-0.1) > 0.001 {
		t.Errorf("none in 30 s: %+v, want at most one in 10 s", r)
	}
	lossy := answered(200, ms)
	lossy.Ledger = results.Ledger{Due: 6000, Done: 5999, Lost: 1}
	burst := answered(200, ms)
	burst.Plan.Shape.Arrivals = schedule.Burst(200)
	for what, c := range map[string]*results.Cell{"a message is missing": lossy, "bursts": burst, "5/s": answered(5, ms)} {
		if r := none.result(c, 30*time.Second); r == nil || r.AtMostPerS != 0 {
			t.Errorf("%s: %+v, want no bound", what, r)
		}
	}
	if r := none.result(new(results.Cell), 30*time.Second); r != nil {
		t.Errorf("nothing came back: %+v, want nothing", r)
	}
}
