//go:build linux

package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The bursts of a cell lie in its window, apart from each other, and are those of the seed.
func TestScheduleOfBursts(t *testing.T) {
	start := time.Unix(1000, 0)
	for seed := range uint64(2000) {
		bursts := schedule(rand.New(rand.NewPCG(seed, 1)), start, harmed, 200*ms, 400*ms)
		if len(bursts) < 8 || len(bursts) > 12 {
			t.Fatalf("seed %d: %d bursts", seed, len(bursts))
		}
		before := start
		for _, b := range bursts {
			if b.From.Before(before) || b.To.After(start.Add(harmed)) {
				t.Fatalf("seed %d: burst %v–%v, the one before ends at %v", seed, b.From, b.To, before)
			}
			if length := b.To.Sub(b.From); length < 200*ms || length > 400*ms {
				t.Fatalf("seed %d: a burst of %v", seed, length)
			}
			before = b.To.Add(400 * ms)
		}
		if seed < 10 && !slices.Equal(bursts, schedule(rand.New(rand.NewPCG(seed, 1)), start, harmed, 200*ms, 400*ms)) {
			t.Errorf("seed %d: other bursts the second time", seed)
		}
	}
}

// The campaign has what issue and docs promise: at least 60 harmed cells on four brokers, each kind among them, and
// 100 that are not harmed.
func TestCampaign(t *testing.T) {
	harmed, nulls, seen := 0, 0, make(map[string]bool)
	for _, r := range campaign(1, 13) {
		for _, k := range r.kinds {
			if k == "" {
				nulls++
				continue
			}
			harmed++
			seen[k] = true
			if kinds()[k].prepare == nil {
				t.Errorf("%s: unknown kind %q", r.name, k)
			}
		}
	}
	if harmed < 60 || nulls < 100 || len(seen) != len(kinds()) {
		t.Errorf("%d harmed, %d not, %d of %d kinds", harmed, nulls, len(seen), len(kinds()))
	}
}

// Another seed harms the same cells in the same ways, in another order; no cells without harm make no runs.
func TestCampaignOfAnotherSeed(t *testing.T) {
	first, second := campaign(1, 0), campaign(101, 0)
	if len(first) != 8 || len(second) != 8 {
		t.Fatalf("%d and %d runs, want 8", len(first), len(second))
	}
	moved := false
	for i, a := range first {
		b := second[i]
		moved = moved || !slices.Equal(a.kinds, b.kinds)
		slices.Sort(a.kinds)
		slices.Sort(b.kinds)
		if a.name != b.name || b.seed != a.seed+100 || !slices.Equal(a.kinds, b.kinds) {
			t.Errorf("got %+v, want %+v with another seed", b, a)
		}
	}
	if !moved {
		t.Error("all kinds are in the same order")
	}
}

// Bursts that delay messages have an effect, and bursts that delay none have none.
func TestEffect(t *testing.T) {
	m := messages{began: time.Unix(1000, 0), window: span{2 * time.Second, 12 * time.Second}}
	var bursts []burst
	for at := 3 * time.Second; at < 12*time.Second; at += time.Second {
		bursts = append(bursts, burst{m.began.Add(at), m.began.Add(at + 200*ms)})
	}
	r := rand.New(rand.NewPCG(1, 1))
	for at := m.window.from; at < m.window.to; at += 10 * ms {
		m.worst = append(m.worst, span{at, at + time.Duration(r.Int64N(int64(ms)))})
	}
	if m.harmed(bursts) {
		t.Error("bursts that nothing happened in have an effect")
	}
	for i, w := range m.worst {
		if in := w.from % time.Second; w.from >= 3*time.Second && in < 200*ms {
			m.worst[i].to = w.from - in + 220*ms
		}
	}
	if !m.harmed(bursts) {
		t.Error("bursts that stop messages have no effect")
	}
	if m.harmed(nil) {
		t.Error("no bursts have an effect")
	}
}

// By chance bursts have an effect in at most one cell of twenty.
func TestEffectByChance(t *testing.T) {
	r, found := rand.New(rand.NewPCG(2, 2)), 0
	const trials = 500
	for range trials {
		m := messages{began: time.Unix(1000, 0), window: span{2 * time.Second, 14 * time.Second}}
		for at := m.window.from; at < m.window.to; at += 10 * ms {
			m.worst = append(m.worst, span{at, at + time.Duration(r.ExpFloat64()*float64(ms))})
		}
		if m.harmed(schedule(r, m.began.Add(2*time.Second), harmed, 200*ms, 400*ms)) {
			found++
		}
	}
	if found > trials/20 {
		t.Errorf("%d of %d", found, trials)
	}
}

func TestScoreCounts(t *testing.T) {
	var s score
	named := func(verdict0 string, causes ...string) (v verdict) {
		v.Verdict = verdict0
		for _, c := range causes {
			what, where, _ := strings.Cut(c, " ")
			v.Causes = append(v.Causes, struct{ Cause, Where string }{what, where})
		}
		return v
	}
	s.addHarmed("harmed-nats-process", "", deed{Kind: nodeStop}, named("causes", "stopped 1", "socket-queue client", "disk machine"), true)
	s.addHarmed("harmed-nats-process", "", deed{Kind: nodeStop}, named("causes", "stopped client"), true)
	s.addHarmed("harmed-nats-process", "", deed{Kind: nodeStop}, named("none"), false)
	s.addHarmed("harmed-nats-process", "", deed{Kind: nodeStop, Problem: "no such process"}, named("none"), false)
	s.addNull("null-nats-process", "", named("undecided"))
	s.addNull("null-nats-process", "", named("causes", "gc-client client"))
	at(&s.crossed, "nats-process").add(named("none"), nil, nil)
	got := s.kinds[nodeStop]
	if wrong, names := got.mistakes(); got.cells != 4 || got.undone != 1 || got.harmed != 2 || got.found != 1 || got.right != 1 || got.first != 2 || got.firstRight != 1 || got.beside != 1 || wrong != 2 || names != "disk machine 1, stopped client 1" {
		t.Errorf("%+v", *got)
	}
	if null := s.nulls["nats-process"]; null.cells != 2 || null.named != 1 || null.undecided != 1 {
		t.Errorf("%+v", *null)
	}
	if text := s.text(); !strings.Contains(text, "33 % (1–91)") {
		t.Errorf("precision of one right and two wrong causes: %s", text)
	}
}

// A quota stops a process that spins, and its end lets it go on.
func TestQuota(t *testing.T) {
	g, c := limited(t)
	if err := g.limitCPU(2 * ms); err != nil {
		t.Fatal(err)
	}
	before := used(t, c)
	time.Sleep(time.Second)
	if spent := used(t, c) - before; spent > 30 { // ticks: 10 ms each
		t.Errorf("%d ticks of 100 with a quota of 2 %%", spent)
	}
	if err := g.limitCPU(0); err != nil {
		t.Fatal(err)
	}
}

// limited starts a process that spins, in a group.
func limited(t *testing.T) (cgroup, *exec.Cmd) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, for cgroups")
	}
	g, err := newGroup("brokerbench-causes-test-" + strconv.Itoa(os.Getpid()))
	if err != nil {
		t.Skip("needs cgroups that can be written:", err)
	}
	t.Cleanup(func() {
		if err := g.remove(); err != nil {
			t.Error(err)
		}
	})
	c := exec.CommandContext(t.Context(), "/bin/sh", "-c", "while :; do :; done")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Wait() })
	t.Cleanup(func() { _ = c.Process.Kill() })
	if err := g.add(c.Process.Pid); err != nil {
		t.Fatal(err)
	}
	return g, c
}

// used returns the processor time of a process in ticks.
func used(t *testing.T, c *exec.Cmd) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(c.Process.Pid), "stat"))
	if err != nil {
		t.Fatal(err)
	}
	ticks, err := strconv.Atoi(strings.Fields(string(text))[13])
	if err != nil {
		t.Fatal(err)
	}
	return ticks
}
