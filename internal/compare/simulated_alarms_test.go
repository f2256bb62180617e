package compare_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/simulation"
)

// simulateAlarms compares repeats of the same thing.
func simulateAlarms(t *testing.T, p *simulation.Page) {
	p.Table("Repeats of the same thing, in an unknown order, and in turn. The gate is `p99.9>0%`.",
		"noise", "runs", "alarm", "pauses", "gate failed", "alarm in turn", "gate failed in turn")
	for _, w := range []struct {
		name  string
		world world
		wrong int // fewer runs than that are known to give more alarms
	}{
		{"5 %, normal", world{noise: 0.05}, 0},
		{"40 %, normal", world{noise: 0.34}, 0},
		{"5 %, heavy tails: t with 3 degrees of freedom", world{noise: 0.05, draw: student(3)}, 0},
		{"5 %, tails without a mean: Cauchy", world{noise: 0.05, draw: student(1)}, 0},
		{"5 %, and pauses every 30 s", world{noise: 0.05, every: 30}, 0},
		{"5 %, and pauses every 60 s", world{noise: 0.05, every: 60}, 0},
		{"5 %, and pauses every 300 s", world{noise: 0.05, every: 300}, 0},
		{"old results: 5 %, and pauses every 30 s", world{noise: 0.05, every: 30, blind: true}, 3},
		{"old results: 5 %, and pauses every 60 s", world{noise: 0.05, every: 60, blind: true}, 3},
		{"old results: 5 %, and pauses every 300 s", world{noise: 0.05, every: 300, blind: true}, 3},
	} {
		for _, n := range [][2]int{{2, 2}, {3, 3}, {5, 5}, {8, 8}, {3, 8}, {5, 1}} {
			s := scenario{world: w.world, base: n[0], next: n[1], gate: "p99.9>0%"}
			runs, wrong := fmt.Sprintf("%d against %d", n[0], n[1]), min(n[0], n[1]) < w.wrong
			name := w.name + ", " + runs
			c := s.compare(t, times(30, 2000))
			row := []string{w.name, runs, c.rare(t, c.alarms, wrong, name), c.rare(t, c.pauses, false, name), c.rare(t, c.failed, wrong, name)}
			if n[0] == n[1] {
				s.order = "turns"
				c = s.compare(t, times(30, 2000))
				row = append(row, c.rare(t, c.alarms, wrong, name+" by turns"), c.rare(t, c.failed, wrong, name+" by turns"))
			} else {
				row = append(row, "-", "-")
			}
			p.Row(row...)
		}
	}
}

// simulateOneASide compares a run with one other of the same thing, or with another part
// of itself.
func simulateOneASide(t *testing.T, p *simulation.Page) {
	p.Table("One run a side of the same thing. It is never slower or faster, and no gate fails; but *these runs differ* is a frequent answer, "+
		"and often true: runs with pauses and bursts do differ.", "runs", "alarm", "these runs differ", "gate `p99>0%` failed")
	o := compare.Options{FailOn: []compare.Condition{condition(t, "p99>0%")}}
	for _, c := range []struct {
		name string
		s    system
	}{
		{"60 s, independent", system{intervals: 60, ops: 400}},
		{"60 s that remember for seconds", system{intervals: 60, ops: 400, phi: 0.5, slow: 0.02}},
		{"60 s that remember for long", system{intervals: 60, ops: 400, phi: 0.8, slow: 0.1}},
		{"60 s, and runs vary by 3 %", system{intervals: 60, ops: 400, between: 0.03}},
		{"60 s with a pause of 200 ms every 30 s", system{intervals: 60, ops: 400, every: 30, length: 0.2}},
		{"60 s with a burst of 1 s every 10 s, five times as slow", system{intervals: 60, ops: 400, every: 10, length: 1, times: 5}},
	} {
		var apart, halves, seconds count
		for seed := range uint64(times(4, 300)) {
			rng := rand.New(rand.NewPCG(seed, 1))
			var parts [5]*recorder // another run; the first half, the second, even seconds, odd ones
			for i := range parts {
				parts[i] = newRecorder()
			}
			all := newRecorder()
			c.s.run(rng, 1, 1, func(_ int, h *histogram.Histogram) { parts[0].add(h); h.Reset() })
			c.s.run(rng, 1, 1, func(number int, h *histogram.Histogram) {
				all.add(h)
				parts[1+2*number/c.s.intervals].add(h)
				parts[3+number%2].add(h)
				h.Reset()
			})
			apart.add(compared(t, set(parts[0].trial(1)), set(all.trial(1)), o))
			halves.add(compared(t, set(parts[1].trial(1)), set(parts[2].trial(1)), o))
			seconds.add(compared(t, set(parts[3].trial(1)), set(parts[4].trial(1)), o))
		}
		for _, row := range []struct {
			name string
			count
		}{{"", apart}, {", its halves", halves}, {", even seconds against odd", seconds}} {
			if row.alarms > 0 || row.failed > 0 {
				t.Errorf("%s%s: one run a side says %d times slower or faster, and a gate failed %d times", c.name, row.name, row.alarms, row.failed)
			}
			p.Row(c.name+row.name, row.percent(row.alarms), row.percent(row.differ), row.percent(row.failed))
		}
	}
}

// simulateSessions compares the same thing on a machine that changes meanwhile.
func simulateSessions(t *testing.T, p *simulation.Page) {
	p.Table("The same thing, 5 runs against 5 with 1 % of noise, on a machine that changes meanwhile. One side after the other is "+
		"**wrong**, and the output warns; in turn it is right.", "machine", "one side after the other", "in turn, as two samples (unknown order)", "in turn, as pairs", "in turn, BASE always first", "its gate `p99>0%` failed")
	for _, c := range []struct {
		name string
		s    scenario
	}{
		{"another session for NEW: 2 % slower", scenario{session: 0.02}},
		{"another session for NEW: 5 % slower", scenario{session: 0.05}},
		{"a random walk: 2 % from turn to turn", scenario{walk: 0.02}},
		{"a random walk: 5 % from turn to turn", scenario{walk: 0.05}},
		{"a random walk: 2 % from run to run", scenario{walk: 0.02, eachRun: true}},
		{"1 % slower from run to run", scenario{drift: 0.01}},
		{"2 % slower from run to run", scenario{drift: 0.02}},
	} {
		s := c.s
		s.world, s.base, s.next, s.order = world{noise: 0.01}, 5, 5, "turns"
		row := []string{c.name, s.inARow(t), "-", "-", "-", "-"}
		if s.session == 0 {
			paired := s.compare(t, times(30, 2000))
			s.order = ""
			welch := s.compare(t, times(30, 2000))
			s.order, s.gate = "same first", "p99>0%"
			same := s.compare(t, times(30, 2000))
			row[2], row[3] = welch.rare(t, welch.alarms, true, c.name), paired.rare(t, paired.alarms, false, c.name)
			row[4], row[5] = same.rare(t, same.alarms, false, c.name), same.rare(t, same.failed, false, c.name)
		}
		p.Row(row...)
	}
}

// inARow compares the runs as if the first half of them had been BASE.
func (s scenario) inARow(t *testing.T) string {
	var c count
	for seed := range uint64(times(30, 2000)) {
		base, next := s.draw(rand.New(rand.NewPCG(seed, 7)))
		if s.session == 0 {
			var all []compare.Trial
			for i := range base {
				all = append(all, base[i], next[i])
			}
			base, next = all[:len(base)], all[len(base):]
		}
		turns(base, next, "row")
		c.add(compared(t, set(base...), set(next...), compare.Options{}))
	}
	return c.rare(t, c.alarms, true, "in a row")
}
