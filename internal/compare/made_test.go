package compare_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// lognormal returns a histogram of exactly the quantiles of a distribution with a
// median of scale milliseconds: nothing is drawn.
func lognormal(scale float64) *histogram.Histogram {
	const n = 12_000
	h := histogram.New()
	for i := range n {
		z := math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/n-1)
		h.Record(time.Duration(scale * 1e6 * math.Exp(sigma*z)))
	}
	return h
}

// made returns a trial with a response of that scale, after changes.
func made(repeat int, scale float64, change ...func(*results.Cell)) compare.Trial {
	c := cell(repeat)
	h := lognormal(scale)
	c.Ledger = results.Ledger{Due: h.Count(), Done: h.Count()}
	for _, f := range change {
		f(c)
	}
	missing := c.Ledger.Missing()
	c.Response = results.NewDistribution(h, missing)
	c.Response.Histogram = h.Encode()
	c.ID = c.Plan.ID()
	return compare.Trial{Dir: "results/x", Cell: c}
}

// three returns repeats that vary by 1 % around a scale.
func three(scale float64, change ...func(*results.Cell)) []compare.Trial {
	return []compare.Trial{made(1, scale*0.99, change...), made(2, scale, change...), made(3, scale*1.01, change...)}
}

// decisive are the options of the targets of these tests that must be equal.
func decisive() []compare.Decisive {
	return []compare.Decisive{
		{Name: "acks", Default: "0"},
		{Name: "stream", Default: "none"},
		{Name: "audit-session", Default: "false", Work: true},
	}
}

func target(name, product string) func(*results.Cell) {
	return func(c *results.Cell) { c.Plan.Target.Name, c.Broker.Product = name, product }
}

func shaped(change func(*plan.Shape)) func(*results.Cell) {
	return func(c *results.Cell) { change(&c.Plan.Shape) }
}

func with(name, value string) func(*results.Cell) {
	return func(c *results.Cell) {
		c.Broker.Settings = append(slices.Clone(c.Broker.Settings), results.Setting{Name: name, Value: value})
	}
}

func rate(r schedule.Rate) func(*results.Cell) { return shaped(func(s *plan.Shape) { s.Rate = r }) }

func lost(n int64) func(*results.Cell) {
	return func(c *results.Cell) { c.Ledger.Due += n; c.Ledger.Lost += n }
}

func judged(v results.Verdict) func(*results.Cell) {
	return func(c *results.Cell) { c.Verdict = v }
}

// compared compares without an error.
func compared(t *testing.T, base, next *compare.Set, o compare.Options) *compare.Comparison {
	t.Helper()
	o.Decisive = decisive()
	c, err := compare.Compare(base, next, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// row returns the row of a percentile.
func row(t *testing.T, p compare.Pair, percentile float64) compare.Row {
	t.Helper()
	i := slices.IndexFunc(p.Rows, func(r compare.Row) bool { return r.Percentile == percentile })
	if i < 0 {
		t.Fatalf("%s has no p%v", p.Base.ID, percentile)
	}
	return p.Rows[i]
}

// condition parses what is known to be right.
func condition(t *testing.T, text string) compare.Condition {
	t.Helper()
	c, err := compare.ParseCondition(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
