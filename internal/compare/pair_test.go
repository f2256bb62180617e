package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

func joined(lists ...[]compare.Trial) *compare.Set { return set(slices.Concat(lists...)...) }

func TestPairing(t *testing.T) {
	nats, redis := target("nats", "NATS"), target("redis", "Redis")
	constant := shaped(func(s *plan.Shape) { s.Arrivals = schedule.Constant })
	for _, c := range []struct {
		name       string
		base, next *compare.Set
		by         compare.By
		pairs      string // BASE's and NEW's IDs
		unpaired   string
	}{
		{name: "the same", base: joined(three(1)), next: joined(three(1)), pairs: "nats-1000→nats-1000"},
		{name: "constant arrivals by name or not", base: joined(three(1)), next: joined(three(1, constant)), pairs: "nats-1000→nats-1000"},
		{
			name: "a matrix in another order", base: joined(three(1, rate(10)), three(1, rate(20))), next: joined(three(1, rate(20)), three(1, rate(10))),
			pairs: "nats-10→nats-10 nats-20→nats-20",
		},
		{name: "repeats of other numbers", base: joined(three(1)), next: joined(three(1)[:2]), pairs: "nats-1000→nats-1000"},
		{
			name: "two targets, by name", base: joined(three(1, nats), three(1, redis)), next: joined(three(1, redis), three(1, nats)),
			pairs: "nats-1000→nats-1000 redis-1000→redis-1000",
		},
		{
			name: "one target of the same product, renamed", base: joined(three(1, target("before", "NATS"))), next: joined(three(1, target("after", "NATS"))),
			pairs: "before-1000→after-1000",
		},
		{name: "another product, by shape", base: joined(three(1, nats)), next: joined(three(1, redis)), by: compare.ByShape, pairs: "nats-1000→redis-1000"},
		{
			name: "cells that one side has", base: joined(three(1, rate(10)), three(1, rate(20))), next: joined(three(1, rate(20)), three(1, rate(30))),
			pairs: "nats-20→nats-20", unpaired: "BASE nats-10, NEW nats-30",
		},
	} {
		got := compared(t, c.base, c.next, compare.Options{By: c.by})
		var pairs, unpaired []string
		for _, p := range got.Pairs {
			pairs = append(pairs, short(p.Base.ID)+"→"+short(p.New.ID))
		}
		for _, u := range got.Unpaired {
			unpaired = append(unpaired, u.Side+" "+short(u.ID))
		}
		if p, u := strings.Join(pairs, " "), strings.Join(unpaired, ", "); p != c.pairs || u != c.unpaired {
			t.Errorf("%s: pairs %q, unpaired %q; want %q, %q", c.name, p, u, c.pairs, c.unpaired)
		}
	}
}

// short leaves target and rate of an ID.
func short(id string) string {
	id, _, _ = strings.Cut(id, "-1024B")
	return id
}

func TestNothingToPair(t *testing.T) {
	nats, redis := target("nats", "NATS"), target("redis", "Redis")
	for _, c := range []struct {
		name       string
		base, next *compare.Set
		by         compare.By
		says       string
	}{
		{"other products", joined(three(1, nats)), joined(three(1, redis)), "", "--by shape pairs"},
		{"two rates each", joined(three(1, rate(1)), three(1, rate(2))), joined(three(1, rate(3)), three(1, rate(4))), "", "nats, 1 KiB at 1/s"},
		{"by shape, two targets", joined(three(1, nats), three(1, redis)), joined(three(1, redis)), compare.ByShape, "DIR@TARGET"},
		{"nothing was measured", set(), set(), "", "have no cell of the same"},
	} {
		got, err := compare.Compare(c.base, c.next, compare.Options{By: c.by, Force: true, Decisive: decisive()})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v; want an error that says %q", c.name, got, err, c.says)
		}
	}
}

func TestOnlyOneTarget(t *testing.T) {
	both := joined(three(1, target("nats", "NATS")), three(2, target("redis", "Redis")))
	nats, err := both.Only("nats")
	if err != nil || fmt.Sprint(nats.Targets()) != "[nats]" || nats.Dir != "results/x@nats" {
		t.Errorf("%+v, %v", nats, err)
	}
	if _, err := both.Only("kafka"); err == nil || !strings.Contains(err.Error(), `["nats" "redis"]`) {
		t.Errorf("error %v, want one that names the targets", err)
	}
}

func TestJoin(t *testing.T) {
	monday, tuesday := set(made(1, 1)), set(made(1, 1.01))
	monday.Dir, tuesday.Dir = "mon", "tue"
	tuesday.Run.Environment.Kernel = "6.2"
	side, err := compare.Join(decisive(), monday, tuesday)
	if err != nil {
		t.Fatal(err)
	}
	c := compared(t, side, joined(three(1)), compare.Options{})
	if got := c.Pairs[0]; got.Method != compare.Repeats || len(got.Base.IDs) != 2 || c.Base.Dir != "mon,tue" {
		t.Errorf("%+v of %s", got.Base, c.Base.Dir)
	}
	want := compare.Difference{Where: "BASE 1 → BASE 2, environment", Name: "kernel", Base: `""`, New: "6.2"}
	if !slices.Contains(c.Differences, want) {
		t.Errorf("differences %v, want %v among them", c.Differences, want)
	}
	if alone, err := compare.Join(decisive(), monday); err != nil || alone != monday {
		t.Errorf("joining one: %v, %v", alone, err)
	}
}

func TestJoinOfWhatIsNoRepeat(t *testing.T) {
	a, b := set(made(1, 1, with("acks", "1"))), set(made(1, 1, with("acks", "all")))
	a.Dir, b.Dir = "a", "b"
	for _, c := range []struct {
		sets []*compare.Set
		says string
	}{
		{nil, "no result sets"},
		{[]*compare.Set{a, b}, "a and b are not repeats of each other: nats: acks 1 against all"},
		{[]*compare.Set{a, a}, "a is named twice"},
	} {
		if _, err := compare.Join(decisive(), c.sets...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error %v, want one that says %q", err, c.says)
		}
	}
}

// A reason names the folder, where repeats come from several.
func TestReasonsNameTheRun(t *testing.T) {
	a, b := set(made(1, 1)), set(made(1, 1, judged(results.Invalid)))
	a.Dir, b.Dir, b.Trials[0].Dir = "results/x", "results/y", "results/y"
	side, err := compare.Join(decisive(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	got := row(t, compared(t, side, joined(three(1)), compare.Options{}).Pairs[0], 50)
	if got.Answer != compare.NotComparable || got.Reason != "BASE repeat 1 of results/y is INVALID" {
		t.Errorf("%s: %s", got.Answer, got.Reason)
	}
}
