package verify

import (
	"cmp"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// The tolerances. Where few samples decide, they also allow for the time that the
// machine kept a process from running, as measured in the same run.
const (
	relative = 0.01                   // of what is expected; or
	body     = 500 * time.Microsecond // for the mean, and below p99 where nothing but the service time is expected
	tail     = 2 * time.Millisecond   // from p99 on, and where a stall or a wait is expected
	fewAbove = 99.5                   // from here on a single hiccup decides

	relativeLive = 0.02 // for a live broker, which takes a while to resume and to work off its backlog
)

// limits are what a cell is judged by.
type limits struct {
	relative float64       // of what is expected
	base     time.Duration // what a message takes that waits for nothing
	ordinary time.Duration // how late one in a hundred of this process's wake-ups was
	longest  time.Duration // the longest time that the machine kept a process from running
}

// A Row compares one number: what arithmetic predicts and what was measured.
type Row struct {
	Name      string  `json:"name"` // such as p99
	Unit      string  `json:"unit"` // ns or ops
	Expected  *int64  `json:"expected"`
	Measured  *int64  `json:"measured"`       // null: unknown, since missing messages rank there
	Tolerance int64   `json:"tolerance"`      // the difference that passes
	Error     float64 `json:"relative_error"` // (measured − expected) / expected; 0 if either is unknown or 0
	Checked   bool    `json:"checked"`        // false: shown but not judged, as the prediction is too rough
	Within    bool    `json:"within"`         // of the tolerance; also if both are unknown
}

// compare makes the rows of a cell.
func compare(p prediction, c *results.Cell, l limits) []Row {
	rows := []Row{
		messages("due", p.Due, c.Ledger.Due), messages("done", p.Done, c.Ledger.Done),
		messages("lost", p.Due-p.Done, c.Ledger.Lost),
	}
	for _, percentile := range []float64{50, 75, 90, 99, 99.9, 99.99, 100} {
		rows = append(rows, l.percentileRow(p, c, percentile))
	}
	return append(rows, l.nanoseconds("mean", p.Mean(), true, new(c.Response.MeanNS), body+l.ordinary))
}

func (l limits) percentileRow(p prediction, c *results.Cell, percentile float64) Row {
	name := fmt.Sprintf("p%v", percentile)
	if percentile == 100 {
		name = "max"
	}
	expected, known := p.Percentile(percentile)
	limit := body + l.ordinary
	if percentile >= 99 || expected > l.base {
		limit = tail + l.ordinary
	}
	if percentile >= fewAbove {
		limit = tail + l.longest
	}
	at, _ := c.Response.At(percentile)
	return l.nanoseconds(name, expected, known, at.ValueNS, limit)
}

// nanoseconds makes a row whose tolerance is a fraction of the expected value or
// the limit, whichever is larger.
func (l limits) nanoseconds(name string, expected time.Duration, known bool, measured *int64, limit time.Duration) Row {
	r := Row{Name: name, Unit: "ns", Measured: measured, Checked: true}
	if known {
		r.Expected = new(int64(expected))
		r.Tolerance = max(int64(l.relative*float64(expected)), int64(limit))
	}
	return r.judged()
}

// messages makes a row of a count, which has to be exact.
func messages(name string, expected, measured int64) Row {
	return Row{Name: name, Unit: "ops", Expected: &expected, Measured: &measured, Checked: true}.judged()
}

func (r Row) judged() Row {
	if r.Expected == nil || r.Measured == nil {
		r.Within = r.Expected == nil && r.Measured == nil
		return r
	}
	difference := *r.Measured - *r.Expected
	r.Within = max(difference, -difference) <= r.Tolerance
	if *r.Expected != 0 {
		r.Error = float64(difference) / float64(*r.Expected)
	}
	return r
}

// OrdinaryHiccup returns how late one in a hundred of this process's wake-ups was
// in the check's cell; 0 if nobody observed that. The tolerances below p99.9
// include it.
func (c Check) OrdinaryHiccup() time.Duration { return ordinaryHiccup(c.Cell) }

func ordinaryHiccup(c *results.Cell) time.Duration {
	row, _ := hiccups(c).At(99)
	v, _ := row.Value()
	return v
}

// longestHiccup returns the longest time for which this process was runnable but
// not scheduled; 0 if nobody observed that.
func longestHiccup(c *results.Cell) time.Duration { return time.Duration(hiccups(c).MaxNS) }

func hiccups(c *results.Cell) results.Distribution {
	return *cmp.Or(c.Hiccup, new(results.Distribution))
}

// Disturbed returns the longest time for which the machine kept a process of any
// check from running, if that is more than rows tolerate; else 0. Then the machine
// may be why a row is outside of its tolerance.
func Disturbed(checks []Check) time.Duration {
	var longest int64
	for _, c := range checks {
		longest = max(longest, c.LateNS, c.HiccupNS)
	}
	if longest <= int64(tail) {
		return 0
	}
	return time.Duration(longest)
}
