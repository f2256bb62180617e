package ab_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare/ab"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

const messages = 1_000_000 // of each run

// cell returns a cell whose percentiles are all about ms.
func cell(name string, ms float64, change ...func(*results.Cell)) *results.Cell {
	c := &results.Cell{
		Plan: plan.Cell{
			Target: plan.Target{Name: name}, Shape: plan.Shape{Rate: 1000, Size: 1024, Connections: 1},
			Settings: plan.Settings{Percentiles: []float64{50, 99}}, Repeat: 1,
		},
		Verdict: results.Valid,
	}
	for _, p := range results.Percentiles() {
		ns := int64(ms * (1 + p/100) * 1e6)
		c.Response.Percentiles = append(c.Response.Percentiles, results.Percentile{Percentile: p, ValueNS: &ns, SamplesAbove: int64(messages * (1 - p/100)), Trusted: true})
		c.Response.Count, c.Response.MinNS, c.Response.MaxNS = messages, *c.Response.Percentiles[0].ValueNS, ns
	}
	for _, f := range change {
		f(c)
	}
	return c
}

// drift is what the machine does meanwhile: pair i takes that many times as long.
func drift(i int) float64 { return math.Exp(0.5 * math.Sin(float64(i))) }

// pairsOf returns pairs in which B takes ratio times as long, more or less.
func pairsOf(n int, ratio, vary float64, change ...func(*results.Cell)) (list []ab.Pair) {
	next := ab.Orders(1, 0)
	for i := range n {
		own := 1 + vary*math.Cos(float64(i*i)*2.3)
		list = append(list, ab.Pair{A: cell("nats", drift(i)), B: cell("nats", ratio*drift(i)*own, change...), Order: next()})
	}
	return list
}

func analysed(cells ...[]ab.Pair) *ab.Result {
	r := new(ab.Result)
	r.Analyse(cells)
	return r
}

// What drifts by a factor of two hides nothing, as it is in both of a pair.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name  string
		pairs []ab.Pair
		want  ab.Answer
	}{
		{"slower", pairsOf(8, 1.05, 0.01), ab.Slower},
		{"faster", pairsOf(8, 0.95, 0.01), ab.Faster},
		{"the same", pairsOf(8, 1, 0.01), ab.NoDifference},
		{"hidden by noise", pairsOf(8, 1.05, 0.3), ab.NoDifference},
		{"one pair", pairsOf(1, 3, 0), ab.NoDifference},
		{"INVALID", append(pairsOf(4, 1, 0.01), pairsOf(1, 1, 0, func(c *results.Cell) { c.Verdict = results.Invalid })...), ab.NotComparable},
	} {
		r := analysed(c.pairs)
		for _, row := range r.Cells[0].Rows {
			if row.Answer != c.want {
				t.Errorf("%s: %+v", c.name, row)
			}
		}
		if one := len(c.pairs) == 1; (r.Judged == 2) == (one || c.want == ab.NotComparable) {
			t.Errorf("%s: %d judged", c.name, r.Judged)
		}
	}
}

// The values are percentiles of all runs together: half of the messages of A take 1.5 ms or
// less, and of all p99 that of the slower run is the highest.
func TestValuesAreOfAllRunsTogether(t *testing.T) {
	list := []ab.Pair{{A: cell("x", 1), B: cell("x", 1), Order: ab.AFirst}, {A: cell("x", 3), B: cell("x", 1), Order: ab.BFirst}}
	row := analysed(list).Cells[0].Rows[1]
	if a, b := float64(*row.ANS)/1e6, float64(*row.BNS)/1e6; math.Abs(a-5.95) > 0.05 || math.Abs(b-1.99) > 0.01 {
		t.Errorf("p99 is %v and %v ms, want that of all messages, about 5.95 and 1.99", a, b)
	}
}

// Pairs that say one thing, while all runs together say another, show nothing.
func TestPairsThatContradictAllOfThemTogether(t *testing.T) {
	list := pairsOf(9, 1.1, 0.001)
	list[4].A = cell("nats", 1000)
	for _, row := range analysed(list).Cells[0].Rows {
		if want := map[bool]ab.Answer{true: ab.NoDifference, false: ab.Slower}[*row.BNS < *row.ANS]; row.Answer != want || row.Ratio.Ratio < 1.09 {
			t.Errorf("%d → %d: %+v", *row.ANS, *row.BNS, row)
		}
	}
}

func TestReason(t *testing.T) {
	lost := func(c *results.Cell) { c.Response.Percentiles[0].ValueNS = nil }
	row := analysed(append(pairsOf(2, 1, 0), pairsOf(1, 1, 0, lost)...)).Cells[0].Rows[0]
	if row.Reason != "B of pair 3: unknown, missing messages rank there" || row.ANS != nil || row.Least != nil {
		t.Errorf("%+v", row)
	}
}

func TestNarrow(t *testing.T) {
	if quiet := pairsOf(8, 1.5, 0.01); !ab.Narrow([][]ab.Pair{quiet}, 0.05) || ab.Narrow([][]ab.Pair{quiet}, 0.005) {
		t.Error("±1 % in 8 pairs is narrower than ±5 %, and not than ±0.5 %")
	}
	if ab.Narrow([][]ab.Pair{pairsOf(ab.LeastPairs-1, 1, 0)}, 0.05) {
		t.Error("too few pairs are narrow")
	}
	noisy := [][]ab.Pair{pairsOf(8, 1, 0.01), pairsOf(8, 1, 0.3)}
	if ab.Narrow(noisy, 0.05) {
		t.Error("one of two cells is not")
	}
	if n, ok := ab.Needed(noisy, 0.05); !ok || n < 100 || n > 500 {
		t.Errorf("%d pairs, %v", n, ok)
	}
	bad := pairsOf(8, 1, 0, func(c *results.Cell) { c.Verdict = results.Invalid })
	if _, ok := ab.Needed([][]ab.Pair{bad}, 0.05); ok || ab.Narrow([][]ab.Pair{bad}, 0.05) {
		t.Error("what cannot be compared is narrow")
	}
}

// Of every two pairs one begins with A; which is drawn, and the same for the same seed.
func TestOrders(t *testing.T) {
	var text string
	for seed := range uint64(20) {
		next, again := ab.Orders(seed, 0), ab.Orders(seed, 0)
		for range 10 {
			a, b := next(), next()
			if a == b || a != again() || b != again() {
				t.Fatalf("%s %s", a, b)
			}
			text += a + " "
		}
	}
	if n := strings.Count(text, ab.AFirst); n < 60 || n > 140 {
		t.Errorf("A is first in %d of 200", n)
	}
}

// JSON is read back as what was written; package report shows the same file.
func TestJSON(t *testing.T) {
	r := &ab.Result{
		A: ab.Side{Run: "nats://h:4222", Dir: "results/1-ab-a"}, B: ab.Side{Run: "redis://h:6379", Dir: "results/1-ab-b"}, Seed: 1,
		Until: new(0.05), AtMostNS: int64(time.Minute), TookNS: int64(50 * time.Second),
	}
	few := func(c *results.Cell) { c.Response.Percentiles[4].ValueNS = nil }
	stalled := pairsOf(8, 1.05, 0.01)
	stalled[2].B = cell("nats", 50)
	r.Analyse([][]ab.Pair{stalled, pairsOf(8, 1.05, 0.3, few)})
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "ab.json", string(text)+"\n")
	got := new(ab.Result)
	if err := json.Unmarshal(text, got); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%v: got %+v, want %+v", err, got, r)
	}
}

// A pair in which a side stalled is named, and does not hide what the others show.
func TestAnOddPairIsNamed(t *testing.T) {
	list := pairsOf(8, 1.05, 0.01)
	list[2].B = cell("nats", 50)
	for _, row := range analysed(list).Cells[0].Rows {
		if row.Answer != ab.Slower || len(row.Odd) != 1 || row.Odd[0].Pair != 3 || row.Odd[0].Ratio < 10 || row.Ratio.Aside != 2 {
			t.Errorf("%+v", row)
		}
	}
}
