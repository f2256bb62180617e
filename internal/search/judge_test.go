package search_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/search"
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

// watched returns what is seen of a cell second by second, if all its messages took as
// long as its percentiles say.
func watched(c *results.Cell) *judge.SLOCounts {
	w := judge.SLOCounts{Seconds: make([][]judge.Second, len(c.Plan.SLOs)), Values: make([]*histogram.Histogram, len(c.Plan.SLOs))}
	for i, o := range c.Plan.SLOs {
		if o.Metric == "" {
			value := time.Duration(*c.Series(o.Series).Percentiles[0].ValueNS)
			s := judge.Second{Of: c.Ledger.Done, Worst: value}
			if !o.Holds(float64(value)) {
				s.Over = s.Of
			}
			w.Seconds[i] = []judge.Second{s}
		}
	}
	return &w
}

// judged is what a cell says of its objectives, without the seconds.
func judged(c *results.Cell) []search.Judgement {
	list := search.Judge(c, watched(c))
	for i := range list {
		list[i].Seconds = nil
	}
	return list
}

// Each culprit has its answer. The tests of package measure cover the rest.
func TestJudge(t *testing.T) {
	c := measuredAt(t, 6*ms, "p99<7ms", "p99<5ms")
	for _, tt := range []struct {
		change func()
		want   search.Judgement
	}{
		{func() {}, search.Judgement{Answer: search.Missed, Measured: "6ms"}},
		{func() { c.Hiccup = new(flat(3 * ms)) }, search.Judgement{Answer: search.Unclear, Machine: true, Measured: "6ms", Reason: "this process stood still: hiccup p99 is 3ms"}},
		{func() { c.Lag = flat(3 * ms) }, search.Judgement{Answer: search.Client, Measured: "6ms", Reason: "the generator was late: lag p99 is 3ms"}},
	} {
		tt.change()
		judge.SLOs(c)
		kept := search.Judgement{Answer: search.Kept, Measured: "6ms"}
		if got := judged(c); len(got) != 2 || !reflect.DeepEqual(got, []search.Judgement{kept, tt.want}) {
			t.Errorf("%+v, want %+v and %+v", got, kept, tt.want)
		}
	}
	c.ReachedPerS = 500
	c.Lag = flat(time.Microsecond)
	c.Judge([]results.Problem{{Code: results.CodeRate, Severity: results.Invalid}})
	judge.SLOs(c)
	if got, want := judged(c)[1], (search.Judgement{Answer: search.Missed, Sure: true, Measured: "6ms", Reason: "reached 500/s"}); !reflect.DeepEqual(got, want) {
		t.Errorf("of an overload %+v, want %+v", got, want)
	}
}

func TestMeasured(t *testing.T) {
	c := measuredAt(t, 4_123_456*time.Nanosecond, "p99<5ms", "service.p99<5ms", "lag.p99<5ms", "loss<1%", "rate>99%", "max<5ms")
	c.Service = flat(999 * time.Nanosecond)
	judge.SLOs(c)
	want := []string{"4.123ms", "999ns", "1µs", "0 %", "100 %", "4.123ms"}
	for i, j := range judged(c) {
		if j.Measured != want[i] {
			t.Errorf("%v: %q, want %q", c.Plan.SLOs[i], j.Measured, want[i])
		}
	}
	c.Response.Percentiles[4].ValueNS = nil
	if got := judged(c)[0].Measured; got != "?" {
		t.Errorf("unknown is %q", got)
	}
}

// Messages that are missing are over every limit of the response, in an episode of
// their own; a loss counts them among all that were due.
func TestMissingMessagesAreOverTheLimit(t *testing.T) {
	c := measuredAt(t, ms, "p99<5ms", "lag.p99<5ms", "loss<1%", "rate>99%")
	c.Ledger.Done, c.Ledger.Lost = 4900, 100
	c.Plan.Settings.Timeout = time.Second
	judge.SLOs(c)
	got := search.Judge(c, watched(c))
	if s := got[0].Seconds; len(s) != 2 || s[1] != (judge.Second{Over: 100, Of: 100, Worst: time.Second}) || got[0].Answer != search.Missed {
		t.Errorf("response: %+v", got[0])
	}
	if s := got[1].Seconds; len(s) != 1 || got[1].Answer != search.Kept {
		t.Errorf("lag: %+v", got[1])
	}
	if s := got[2].Seconds; len(s) != 1 || s[0] != (judge.Second{Over: 100, Of: 5000}) || got[2].Answer != search.Missed {
		t.Errorf("loss: %+v", got[2])
	}
	if got[3].Seconds != nil {
		t.Errorf("rate: %+v", got[3])
	}
}

// A cell with an audit has an objective of its own, which the search did not ask for; and
// messages without an acknowledgement are over every limit of acknowledgements.
func TestAcknowledgementsAreJudged(t *testing.T) {
	c := measuredAt(t, ms, "p99<5ms", "ack.p99<5ms")
	acks := flat(ms)
	acks.Missing = 200
	c.Ack, c.Complete, c.Audit = &acks, &acks, &results.Audit{Acked: 4800, Kept: 4800}
	judge.SLOs(c)
	if got := search.Judge(c, watched(c)); len(got) != 2 || got[0].Answer != search.Kept || len(got[0].Seconds) != 1 || got[1].Answer != search.Missed || got[1].Seconds[1].Over != 200 {
		t.Errorf("%+v", got)
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
	order := []search.Status{search.Found, search.AtMax, search.ByClient, search.NotKnown, search.NotDecided, search.NotKept, search.Unfinished}
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
