package measure

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/results"
)

// good returns a cell that no rule objects to.
func good() *results.Cell {
	ns := int64(1000)
	c := &results.Cell{OfferedPerS: 100, ReachedPerS: 99.5, Ledger: results.Ledger{Due: 1000, Done: 1000}}
	for _, p := range tablePercentiles() {
		c.Response.Percentiles = append(c.Response.Percentiles, results.Percentile{Percentile: p, ValueNS: &ns})
	}
	return c
}

func TestRules(t *testing.T) {
	tests := []struct {
		code   string
		spoil  func(*results.Cell)
		shared bool
		want   results.Verdict
		says   string
	}{
		{"interrupted", func(c *results.Cell) { c.Interrupted = true }, false, results.Invalid, "1000 ops were due"},
		{"empty", func(c *results.Cell) { c.Ledger = results.Ledger{} }, false, results.Invalid, "no op was due"},
		{"missing", func(c *results.Cell) {
			c.Ledger.Done, c.Ledger.Failed = 999, 1
			c.Failures = []results.Failure{{Cause: "no space", Count: 1}}
		}, false, results.Suspect, "1 of 1000 ops are not done (0.1000 %): 1 failed, 0 lost, 0 unsent; most failed with: no space"},
		{"missing", func(c *results.Cell) {
			c.Ledger.Done, c.Ledger.Lost = 999, 1
			c.Response.Percentiles[3].ValueNS = nil
		}, false, results.Invalid, "1 lost"},
		{"strays", func(c *results.Cell) { c.Strays.Duplicate = 3 }, false, results.Suspect, "3 duplicate"},
		{"clamped", func(c *results.Cell) { c.Response.Clamped = 2 }, false, results.Invalid, "2 values"},
		{"rate", func(c *results.Cell) { c.ReachedPerS = 98 }, false, results.Suspect, "100/s were due and 98/s done"},
		{"events", func(c *results.Cell) { c.Events = []results.Event{{Text: "reconnected"}} }, false, results.Suspect, "reconnected"},
		{"shared-machine", func(*results.Cell) {}, true, results.Valid, "share this machine"},
	}
	for _, tt := range tests {
		c := good()
		tt.spoil(c)
		c.Judge(problems(c, tt.shared))
		if len(c.Problems) != 1 || c.Problems[0].Code != tt.code || c.Verdict != tt.want || !strings.Contains(c.Problems[0].Text, tt.says) {
			t.Errorf("%s: %s, %+v; want %s, saying %q", tt.code, c.Verdict, c.Problems, tt.want, tt.says)
		}
	}
}

func TestNoRuleObjectsToAGoodCell(t *testing.T) {
	c := good()
	c.Judge(problems(c, false))
	if c.Verdict != results.Valid || c.Problems != nil {
		t.Errorf("%s, %+v", c.Verdict, c.Problems)
	}
}
