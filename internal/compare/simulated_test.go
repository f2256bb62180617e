package compare_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/simulation"
)

const aboutSimulations = `# How often is compare wrong?

The answers of ` + "`compare`" + ` for runs whose difference is known. Made by
` + "`go test ./internal/compare -run Simulated -v -args -long`" + `, seeds from 0.

A run's p50, p99, p99.9 and maximum are drawn around 1, 5, 10 and 30 ms. *Noise* is the standard deviation of p50 and p99 from run
to run; that of p99.9 is half as large again, that of the maximum twice as large. A *pause* takes 200 ms, give or take 20 %, and
comes at random; a run takes 60 s, and its percentiles follow by arithmetic. *Old results* have no counts of pauses and events.
One run a side is drawn message by message.

All numbers are percent of the comparisons. An *alarm* is a percentile called slower or faster although nothing changed: at most 5
are allowed. Rows with more stay here, marked **wrong**.`

// TestSimulatedComparisons compares runs whose difference is known.
func TestSimulatedComparisons(t *testing.T) {
	if underRace {
		t.Skip("one goroutine, ten times slower: run it without the race detector")
	}
	p := simulation.NewPage(t, "compare", aboutSimulations)
	simulateAlarms(t, p)
	simulateOneASide(t, p)
	simulateSessions(t, p)
	simulatePower(t, p)
	simulateStalls(t, p)
	simulateGates(t, p)
	simulateMaximum(t, p)
}

// times returns how many comparisons are made of each case.
func times(short, long int) int {
	if *simulation.Long {
		return long
	}
	return short
}

// A count is how many comparisons said what.
type count struct {
	n                                      int
	alarms, differ, p50, p99, p999, pauses int // p50 and so on are slower
	passed, failed, open                   int
}

func (c *count) add(got *compare.Comparison) {
	c.n++
	said := make(map[compare.Answer]bool)
	for _, p := range got.Pairs {
		for _, r := range p.Rows {
			said[r.Answer] = true
			c.p50 += one(r.Percentile == 50 && r.Answer == compare.Slower)
			c.p99 += one(r.Percentile == 99 && r.Answer == compare.Slower)
			c.p999 += one(r.Percentile == 99.9 && r.Answer == compare.Slower)
		}
		said[p.Pauses.Answer] = true
	}
	c.alarms += one(said[compare.Slower] || said[compare.Faster])
	c.differ += one(said[compare.RunsLower] || said[compare.RunsHigher])
	c.pauses += one(said[compare.MorePauses] || said[compare.FewerPauses])
	for _, o := range got.FailOn {
		c.failed += one(o.Count(compare.Failed) > 0)
		c.open += one(o.Count(compare.Failed) == 0 && o.Count(compare.NotDecided) > 0)
		c.passed += one(o.Count(compare.Passed) == len(o.Gates))
	}
}

func (c *count) percent(k int) string { return fmt.Sprintf("%.1f", 100*float64(k)/float64(c.n)) }

// rare writes how many there were of what is promised to be rare, and wants it: more than
// 5 % by three standard errors is wrong, which only some cases may be.
func (c *count) rare(t *testing.T, k int, mayBeWrong bool, name string) string {
	t.Helper()
	n := float64(c.n)
	if limit := 0.05*n + 3*math.Sqrt(0.05*0.95*n); float64(k) <= limit {
		return c.percent(k)
	}
	if !mayBeWrong {
		t.Errorf("%s: %d of %d", name, k, c.n)
	}
	return "**wrong** " + c.percent(k)
}

// wantAbout wants so many percent, within ten: it is what the methodology says.
func (c *count) wantAbout(t *testing.T, k int, percent float64, name string) {
	t.Helper()
	if got := 100 * float64(k) / float64(c.n); math.Abs(got-percent) > 10+300/math.Sqrt(float64(c.n))*0.5 {
		t.Errorf("%s: %.1f %%, want about %v", name, got, percent)
	}
}

// A scenario is a comparison that can be drawn again and again.
type scenario struct {
	world
	base, next int // how many runs
	b, c       change
	order      string  // of time: turns, turns with the same first, row, or nothing, which is not known
	drift      float64 // by how much the machine becomes slower from run to run
	walk       float64 // a random walk of the machine's speed: its step from turn to turn
	eachRun    bool    // the walk makes a step from run to run
	session    float64 // how much slower or faster the machine is for NEW, after BASE
	gate       string
}

// compare draws and compares n times.
func (s scenario) compare(t *testing.T, n int) (c count) {
	t.Helper()
	var o compare.Options
	if s.gate != "" {
		o.FailOn = []compare.Condition{condition(t, s.gate)}
	}
	for seed := range uint64(n) {
		base, next := s.draw(rand.New(rand.NewPCG(seed, 7)))
		c.add(compared(t, set(base...), set(next...), o))
	}
	return c
}

func (s scenario) draw(rng *rand.Rand) (base, next []compare.Trial) {
	base, next = s.side(rng, s.base, s.b), s.side(rng, s.next, s.c)
	if s.order != "" {
		turns(base, next, s.order)
	}
	speed := 1.
	for i := range next {
		var both []compare.Trial
		if i < len(base) {
			both = append(both, base[i])
		}
		hasten(next[i], or1(1+s.session))
		if both = append(both, next[i]); s.order == "turns" && i%2 == 1 {
			slices.Reverse(both)
		}
		for j, trial := range both {
			if s.eachRun && j > 0 {
				speed *= math.Exp(s.walk * rng.NormFloat64())
			}
			hasten(trial, speed)
			speed *= 1 + s.drift
		}
		speed *= math.Exp(s.walk * rng.NormFloat64())
	}
	return base, next
}

// hasten multiplies all response times of a run.
func hasten(trial compare.Trial, by float64) {
	for i := range trial.Cell.Response.Percentiles {
		if v := trial.Cell.Response.Percentiles[i].ValueNS; v != nil {
			*v = int64(float64(*v) * by)
		}
	}
	trial.Cell.Response.MaxNS = int64(float64(trial.Cell.Response.MaxNS) * by)
}
