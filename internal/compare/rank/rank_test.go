package rank_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/compare/rank"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// trial returns one repeat of a target whose percentiles are all scale ms.
func trial(target string, repeat int, scale float64, change ...func(*results.Cell)) compare.Trial {
	c := &results.Cell{
		Plan: plan.Cell{
			Target: plan.Target{Name: target}, Shape: plan.Shape{Rate: 1000, Size: 1024, Connections: 1, Arrivals: schedule.Constant},
			Settings: plan.Settings{Percentiles: []float64{50, 99}}, Repeat: repeat,
		},
		Verdict: results.Valid,
	}
	for _, p := range results.Percentiles() {
		ns := int64(scale * (1 + p/100) * 1e6)
		c.Response.Percentiles = append(c.Response.Percentiles, results.Percentile{Percentile: p, ValueNS: &ns, SamplesAbove: int64(120 * (100 - p)), Trusted: p < 99.9})
	}
	c.Response.Count, c.Response.MaxNS = 12_000, int64(scale*2e6)
	for _, f := range change {
		f(c)
	}
	c.ID = c.Plan.ID()
	return compare.Trial{Dir: "results/x", Cell: c}
}

// repeats returns repeats of a target: each takes scale ms times what the repeat takes,
// and varies by a little of its own.
func repeats(target string, scale float64, own ...float64) (trials []compare.Trial) {
	for i, v := range own {
		common := math.Exp(0.3 * math.Sin(float64(i))) // what all targets have in common
		trials = append(trials, trial(target, i+1, scale*common*(1+v)))
	}
	return trials
}

func joined(lists ...[]compare.Trial) *compare.Set {
	s := &compare.Set{Dir: "results/x", Run: results.Run{Name: "x", Started: time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)}}
	for _, l := range lists {
		s.Trials = append(s.Trials, l...)
	}
	return s
}

func ranked(t *testing.T, s *compare.Set) *rank.Ranking {
	t.Helper()
	r, err := rank.Rank(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func change(f func(*results.Cell)) func(*results.Cell) { return f }

func invalid(c *results.Cell) { c.Verdict = results.Invalid }

func TestOrder(t *testing.T) {
	nats := repeats("nats", 1, 0.01, -0.01, 0.005, -0.005, 0)
	redis := repeats("redis", 1.5, 0.05, -0.03, 0.02, -0.06, 0.01)
	rabbit := repeats("rabbitmq", 1.52, -0.03, 0.05, -0.02, 0.02, -0.02)
	kafka := repeats("kafka", 4, 0.02, -0.02, 0.01, -0.01, 0)
	for _, c := range []struct {
		name, order, except, winner string
		set                         *compare.Set
	}{
		{"one wins", "nats < redis ≈ rabbitmq < kafka", "", "nats", joined(kafka, rabbit, nats, redis)},
		{"nobody wins", "redis ≈ rabbitmq < kafka", "", "", joined(kafka, rabbit, redis)},
		{"who is best may be unranked", "nats < redis", "", "", joined(nats, redis, []compare.Trial{trial("kafka", 1, 0.5, invalid)})},
		{"a repeat in common only", "nats ? kafka", "", "", joined(nats, kafka[:1])},
	} {
		row := ranked(t, c.set).Shapes[0].Rows[0]
		if row.Order != c.order || row.Winner != c.winner || strings.Join(row.Except, ", ") != c.except {
			t.Errorf("%s: %q, except %q, winner %q; want %q, %q, %q", c.name, row.Order, row.Except, row.Winner, c.order, c.except, c.winner)
		}
	}
}

// Neighbours that cannot be told apart may hide that those at the ends can.
func TestOrderIsNotTransitive(t *testing.T) {
	a := repeats("a", 1, 0.01, -0.01, 0.005, -0.005, 0)
	b := repeats("b", 1.1, 0.3, -0.25, 0.2, -0.2, 0.1)
	c := repeats("c", 1.2, 0.01, -0.01, -0.005, 0.005, 0)
	row := ranked(t, joined(a, b, c)).Shapes[0].Rows[0]
	if row.Order != "a ≈ b ≈ c" || strings.Join(row.Except, ", ") != "a < c" {
		t.Errorf("%q, except %q", row.Order, row.Except)
	}
	far := repeats("far", 1.5, 1.5, -0.7, 0.9, -0.5, 0.4)
	row = ranked(t, joined(a, c, far)).Shapes[0].Rows[0]
	if row.Order != "a ≈ far ≈ c" || strings.Join(row.Except, ", ") != "a < c" || row.Winner != "" {
		t.Errorf("%q, except %q, winner %q", row.Order, row.Except, row.Winner)
	}
}

// What slows a repeat slows all targets, and hides nothing: only pairs see this.
func TestRepeatsArePairs(t *testing.T) {
	a, b := repeats("a", 1, 0, 0.001, 0, -0.001, 0), repeats("b", 1.05, 0.001, 0, -0.001, 0, 0)
	if row := ranked(t, joined(a, b)).Shapes[0].Rows[0]; row.Winner != "a" {
		t.Errorf("%+v", row)
	}
}

// One repeat names no winner, however far apart the targets are.
func TestOneRepeatHasNoWinner(t *testing.T) {
	bound := func(low, high int64) func(*results.Cell) {
		return change(func(c *results.Cell) {
			for i := range c.Response.Percentiles {
				c.Response.Percentiles[i].LowNS, c.Response.Percentiles[i].HighNS = &low, &high
			}
		})
	}
	set := joined([]compare.Trial{trial("nats", 1, 1, bound(1e6, 2e6)), trial("redis", 1, 1.1, bound(15e5, 3e6)), trial("kafka", 1, 100, bound(90e6, 200e6))})
	r := ranked(t, set)
	row := r.Shapes[0].Rows[0]
	if row.Order != "nats ≈ redis ≤ kafka" || row.Winner != "" || r.Judged != 0 || r.Shapes[0].Repeats != 1 {
		t.Errorf("%+v", row)
	}
	for _, v := range row.Versus {
		if v.Answer == rank.Faster || v.Ratio.Low != nil || v.Ratio.Level != 0 {
			t.Errorf("%+v", v)
		}
	}
}

func TestUnranked(t *testing.T) {
	lost := func(c *results.Cell) { c.Response.Percentiles[0].ValueNS = nil }
	for text, f := range map[string]func(*results.Cell){
		"repeat 2 is INVALID": invalid, "repeat 2: unknown, missing messages rank there": lost,
	} {
		set := joined(repeats("nats", 1, 0, 0.01, 0), []compare.Trial{trial("kafka", 1, 1), trial("kafka", 2, 1, f), trial("kafka", 3, 1)})
		row := ranked(t, set).Shapes[0].Rows[0]
		if len(row.Unranked) != 1 || row.Unranked[0].Reason != text || row.Order != "nats" {
			t.Errorf("%+v, want %q", row, text)
		}
	}
}

// However few events one repeat has, three repeats are three values.
func TestFewEventsAreRanked(t *testing.T) {
	few := func(c *results.Cell) {
		for i := range c.Response.Percentiles {
			c.Response.Percentiles[i].Trusted, c.Response.Percentiles[i].Events = false, 1.5
		}
	}
	kafka := []compare.Trial{trial("kafka", 1, 7.68, few), trial("kafka", 2, 23.6, few), trial("kafka", 3, 12, few)}
	redis := []compare.Trial{trial("redis", 1, 0.405, few), trial("redis", 2, 0.505, few), trial("redis", 3, 0.43, few)}
	row := ranked(t, joined(kafka, redis)).Shapes[0].Rows[1]
	if row.Winner != "redis" || len(row.Unranked) > 0 || row.Decides != 0 || !slices.Contains(row.Places[0].Limits, "few events") {
		t.Errorf("%+v", row)
	}
}

// Two repeats are too few, and say how many would do.
func TestDecides(t *testing.T) {
	row := ranked(t, joined(repeats("a", 1, 0.01, -0.01), repeats("b", 3, 0.01, -0.01))).Shapes[0].Rows[0]
	if row.Winner != "" || row.Decides != 3 || row.Versus[0].Answer != rank.TooFew {
		t.Errorf("two repeats: %+v", row)
	}
	row = ranked(t, joined(repeats("a", 1, 0.1, -0.1, 0, 0.05), repeats("b", 1.1, -0.1, 0.12, 0.03, 0))).Shapes[0].Rows[0]
	if row.Winner != "" || row.Decides < 10 {
		t.Errorf("10 %% apart: %+v", row)
	}
}

// A target that is faster in each repeat is not faster if all of them together say otherwise.
func TestRepeatsThatContradictAllOfThem(t *testing.T) {
	a, b := repeats("a", 1, 0, 0.001, 0, -0.001, 0), repeats("b", 1.1, 0, 0.001, 0, -0.001, 0)
	a = append(a, trial("a", 6, 50))
	row := ranked(t, joined(a, b)).Shapes[0].Rows[1]
	if row.Places[0].Target != "b" || row.Winner != "" || row.Versus[0].Answer != rank.NotApart {
		t.Errorf("%+v", row)
	}
}

func TestOneTargetHasNoRank(t *testing.T) {
	if r, err := rank.Rank(joined(repeats("nats", 1, 0, 0.01))); err == nil || !strings.Contains(err.Error(), "two targets") {
		t.Errorf("%+v, %v", r, err)
	}
}

// JSON is read back as what was written; package report shows the same file.
func TestJSON(t *testing.T) {
	other := func(list []compare.Trial) []compare.Trial {
		for _, t := range list {
			t.Cell.Plan.Shape.Rate, t.Cell.ID = 2000, t.Cell.Plan.ID()
		}
		return list
	}
	set := joined(
		repeats("nats", 0.1, 0.01, -0.01, 0.005, -0.005, 0), repeats("redis", 0.15, 0.05, -0.03, 0.02, -0.06, 0.01),
		repeats("rabbitmq", 0.152, -0.03, 0.05, -0.02, 0.02, -0.02), repeats("kafka", 0.45, 0.02, -0.02, 0.01, -0.01, 0),
		other(repeats("nats", 0.2, 0.01, -0.01, 0)), other(repeats("redis", 0.21, 0.3, -0.2, 0.1)), other([]compare.Trial{trial("kafka", 1, 2, invalid)}),
	)
	r := ranked(t, set)
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "ranking.json", string(text)+"\n")
	got := new(rank.Ranking)
	if err := json.Unmarshal(text, got); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%v: got %+v, want %+v", err, got, r)
	}
}
