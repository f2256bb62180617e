package search_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/measure/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

const ms = time.Millisecond

// flat returns a distribution in which every percentile is the same.
func flat(value time.Duration) (d results.Distribution) {
	for _, p := range results.Percentiles() {
		d.Percentiles = append(d.Percentiles, results.Percentile{Percentile: p, ValueNS: new(int64(value)), SamplesAbove: 100, Trusted: true})
	}
	return d
}

// measuredAt returns a cell that reached its 1,000/s.
func measuredAt(t *testing.T, response time.Duration, objectives ...string) *results.Cell {
	t.Helper()
	c := &results.Cell{
		Plan: plan.Cell{Shape: plan.Shape{Rate: 1000}}, OfferedPerS: 1000, ReachedPerS: 1000,
		Ledger: results.Ledger{Due: 5000, Done: 5000}, Response: flat(response), Service: flat(response), Lag: flat(time.Microsecond),
	}
	for _, text := range objectives {
		c.Plan.SLOs = append(c.Plan.SLOs, parse(t, text))
	}
	return c
}

// Each culprit has its answer. The tests of package measure cover the rest.
func TestJudge(t *testing.T) {
	c := measuredAt(t, 6*ms, "p99<7ms", "p99<5ms")
	for _, tt := range []struct {
		change func()
		want   search.Judgement
	}{
		{func() {}, search.Judgement{Answer: search.Missed, Measured: "6ms"}},
		{func() { c.Hiccup = new(flat(3 * ms)) }, search.Judgement{Answer: search.Unclear, Measured: "6ms", Reason: "this process stood still: hiccup p99 is 3ms"}},
		{func() { c.Lag = flat(3 * ms) }, search.Judgement{Answer: search.Client, Measured: "6ms", Reason: "the generator was late: lag p99 is 3ms"}},
	} {
		tt.change()
		c.JudgeSLOs()
		kept := search.Judgement{Answer: search.Kept, Measured: "6ms"}
		if got := search.Judge(c); len(got) != 2 || got[0] != kept || got[1] != tt.want {
			t.Errorf("%+v, want %+v and %+v", got, kept, tt.want)
		}
	}
	c.ReachedPerS = 500
	c.Lag = flat(time.Microsecond)
	c.Judge([]results.Problem{{Code: results.CodeRate, Severity: results.Invalid}})
	c.JudgeSLOs()
	if got, want := search.Judge(c)[1], (search.Judgement{Answer: search.Missed, Sure: true, Measured: "6ms", Reason: "reached 500/s"}); got != want {
		t.Errorf("of an overload %+v, want %+v", got, want)
	}
}

func TestMeasured(t *testing.T) {
	c := measuredAt(t, 4_123_456*time.Nanosecond, "p99<5ms", "service.p99<5ms", "lag.p99<5ms", "loss<1%", "rate>99%", "max<5ms")
	c.Service = flat(999 * time.Nanosecond)
	c.JudgeSLOs()
	want := []string{"4.123ms", "999ns", "1µs", "0 %", "100 %", "4.123ms"}
	for i, j := range search.Judge(c) {
		if j.Measured != want[i] {
			t.Errorf("%v: %q, want %q", c.Plan.SLOs[i], j.Measured, want[i])
		}
	}
	c.Response.Percentiles[4].ValueNS = nil
	if got := search.Judge(c)[0].Measured; got != "?" {
		t.Errorf("unknown is %q", got)
	}
}

func TestNoSearchIsAnEmptyList(t *testing.T) {
	text, err := json.Marshal(search.NewDocument(search.Config{}, nil))
	if err != nil || !strings.Contains(string(text), `"searches":[]`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestWorst(t *testing.T) {
	// From the best to the worst: a worse one decides.
	order := []search.Status{search.Found, search.AtMax, search.ByClient, search.NotKnown, search.NotKept, search.Unfinished}
	var rows []search.Row
	if got := search.Worst(nil); got != search.Found {
		t.Errorf("no search: %s", got)
	}
	for _, status := range order {
		rows = append([]search.Row{{Status: status}}, rows...)
		if got := search.Worst([]search.Result{{Rows: rows[1:]}, {Rows: rows[:1]}}); got != status {
			t.Errorf("%d rows: %s, want %s", len(rows), got, status)
		}
	}
}
