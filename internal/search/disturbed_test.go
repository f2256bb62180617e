package search

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// A played probe is answered from a list, one after the other at each rate.
type played struct {
	answer  Answer
	machine bool
	over    int64 // of 1,000 messages each second
}

// play searches for p99<20ms. A rate without a list keeps it, and the last entry of a list repeats.
func play(t *testing.T, cfg Config, lists map[int][]played) Result {
	t.Helper()
	cfg.Objectives = []plan.Objective{objective(t, "p99<20ms")}
	count := make(map[int]int)
	r, err := Search(t.Context(), cfg, func(_ context.Context, p Probe) (Probe, error) {
		now := played{answer: Kept}
		if list := lists[p.Rate]; len(list) > 0 {
			now = list[min(count[p.Rate], len(list)-1)]
		}
		count[p.Rate]++
		n := max(int(p.Window/time.Second), 1)
		p.Answers = []Judgement{{Answer: now.answer, Machine: now.machine, Seconds: window(n, 100*ms, slices.Repeat([]int64{now.over}, n)...)}}
		p.Took = p.Rest + p.Window + 4*time.Second
		return p, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var (
	good    = played{answer: Kept}
	late    = played{answer: Client, over: 220}
	stalled = played{answer: Unclear, machine: true, over: 30}
	missed  = played{answer: Missed, over: 500}
)

// Probes that this machine disturbed do not make a rate uneven, and do not break its SLO.
func TestProbesThatThisMachineDisturbedAreNoEvidence(t *testing.T) {
	cfg := Config{From: 100, Max: 100, AtMost: 10 * time.Minute}
	row := play(t, cfg, map[int][]played{100: {late, good, stalled, good}}).Rows[0]
	if row.Status != AtMax || row.Rate != 100 || row.At.Exceed != 0 {
		t.Errorf("%+v, want 100/s kept without the disturbed probes", row)
	}
}

// What is not decided says how many probes were disturbed, and blames no target for them.
func TestADisturbedSearchSaysSo(t *testing.T) {
	cfg := Config{From: 100, Max: 100, AtMost: 75 * time.Second}
	r := play(t, cfg, map[int][]played{100: {late, good, stalled, good}})
	row := r.Rows[0]
	if row.Status != NotDecided || !strings.Contains(row.Reason, "2 of ") || strings.Contains(row.Reason, "target") {
		t.Errorf("%+v", row)
	}
	if row.SoFar == nil || row.SoFar.Rate != 100 || row.SoFar.Above != 0 || row.SoFar.At.Probes != len(r.Probes)-2 {
		t.Errorf("%+v so far, want 100/s without 2 of %d probes", row.SoFar, len(r.Probes))
	}
	if row.Needs <= cfg.AtMost {
		t.Errorf("needs %v, and had %v", row.Needs, cfg.AtMost)
	}
}

// Where most probes are the client's limit it is the answer, whatever a few of them say.
func TestMostDisturbedProbesAreTheClientsLimit(t *testing.T) {
	row := play(t, Config{From: 100, Max: 200, Precision: 1}, map[int][]played{200: {late, good, late}}).Rows[0]
	if row.Status != ByClient || row.Rate != 100 || row.Above != 200 {
		t.Errorf("%+v", row)
	}
}

// The bracket so far is in the row, the nearest rates that leaned to either side, decided or not.
func TestTheBracketSoFarIsInTheRow(t *testing.T) {
	for _, tt := range []struct {
		lists       map[int][]played
		rate, above int
	}{
		{map[int][]played{4000: {missed}}, 2828, 4000},
		{map[int][]played{4000: {late}}, 2828, 0},
		{map[int][]played{1000: {missed}}, 0, 1000},
	} {
		row := play(t, Config{AtMost: 40 * time.Second, Precision: 0.5}, tt.lists).Rows[0]
		if row.Status != NotDecided || row.Rate != 0 || row.Above != 0 || row.SoFar == nil || row.SoFar.Rate != tt.rate || row.SoFar.Above != tt.above ||
			(tt.rate > 0) != (row.SoFar.At != nil) || (tt.above > 0) != (row.SoFar.Over != nil) {
			t.Errorf("%+v, so far %+v, want %d and %d", row, row.SoFar, tt.rate, tt.above)
		}
		if row.Needs <= 40*time.Second {
			t.Errorf("needs %v", row.Needs)
		}
	}
}

// An overload that may be this machine's shows no hysteresis of the target.
func TestADisturbedProbeIsNoHysteresis(t *testing.T) {
	full := played{answer: Client, over: 1000}
	r := play(t, Config{AtMost: 20 * time.Minute}, map[int][]played{4000: {full}, 2828: {full}, 2378: {full}, 2181: {full}})
	if r.Hysteresis != 0 || r.Rows[0].Status == Hysteresis || slices.ContainsFunc(r.Probes, func(p Probe) bool { return p.Spoiled }) {
		t.Errorf("%v, %+v", r.Hysteresis, r.Rows[0])
	}
}
