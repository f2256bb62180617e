package verify

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// An Answer is what a check comes to.
type Answer string

// The answers.
const (
	Agrees       Answer = "agrees"
	Disagrees    Answer = "disagrees"    // the engine is wrong: noise cannot be the cause
	Inconclusive Answer = "inconclusive" // what should have been measured did not happen
)

// A Row compares one number of the client's with what the witnesses allow.
type Row struct {
	Name     string `json:"name"`     // such as p99
	Unit     string `json:"unit"`     // ns or ops
	Ideal    *int64 `json:"ideal"`    // by arithmetic, on a machine without noise; null: unknown or not worked out
	From     *int64 `json:"from"`     // the least that the witnesses allow; null: unknown, since missing messages rank there
	To       *int64 `json:"to"`       // the most
	Measured *int64 `json:"measured"` // null: unknown
	Agrees   bool   `json:"agrees"`
	Where    string `json:"where"` // if it does not agree: which message, and by how much
}

// count makes a row of a number of messages.
func count(name string, from, to, measured int64) Row {
	return Row{Name: name, Unit: "ops", From: &from, To: &to, Measured: &measured}.judged(0)
}

// judged compares measured with from and to, which may be missed by the slack. What
// is unknown has to be unknown to everybody.
func (r Row) judged(slack int64) Row {
	switch {
	case r.From == nil || r.To == nil || r.Measured == nil:
		if r.Agrees = r.From == nil && r.To == nil && r.Measured == nil; !r.Agrees {
			r.Where = "it is known to one side only"
		}
	case *r.Measured < *r.From-slack:
		r.Where = "too little by " + r.amount(*r.From-*r.Measured)
	case *r.Measured > *r.To+slack:
		r.Where = "too much by " + r.amount(*r.Measured-*r.To)
	default:
		r.Agrees = true
	}
	return r
}

func (r Row) amount(v int64) string {
	if r.Unit == "ops" {
		return fmt.Sprint(v)
	}
	return time.Duration(v).String()
}

// A Check compares what was measured in a scenario with what the witnesses saw.
type Check struct {
	Scenario string        `json:"scenario"`
	Mode     string        `json:"mode"` // "open loop", "one in flight" or "at most 4 in flight", by the requester's limit too
	Answer   Answer        `json:"answer"`
	Reason   string        `json:"reason"`   // why it is inconclusive
	Attempts int           `json:"attempts"` // how often it was measured: again if it was inconclusive
	Rows     []Row         `json:"rows"`
	StillNS  int64         `json:"still_ns"`  // the longest time for which the system did not run
	HiccupNS int64         `json:"hiccup_ns"` // the longest time this process was runnable but not scheduled
	ThereNS  int64         `json:"there_ns"`  // the longest way of a message to the system
	BackNS   int64         `json:"back_ns"`   // the longest way of a reply back
	Cell     *results.Cell `json:"cell"`      // the measurement
}

// judge sets the rows and the answer. A row that disagrees cannot come from noise,
// so it counts before a doubt.
func (c *Check) judge(rows []Row, doubt string) {
	c.Rows, c.Answer = rows, Agrees
	if doubt != "" {
		c.Answer, c.Reason = Inconclusive, doubt
	}
	if slices.ContainsFunc(rows, func(r Row) bool { return !r.Agrees }) {
		c.Answer, c.Reason = Disagrees, ""
	}
}

// Sum returns the answer of all checks together: one that disagrees decides, then
// one that is inconclusive.
func Sum(checks []Check) Answer {
	for _, answer := range []Answer{Disagrees, Inconclusive} {
		if slices.ContainsFunc(checks, func(c Check) bool { return c.Answer == answer }) {
			return answer
		}
	}
	return Agrees
}

func hiccup(c *results.Cell) int64 {
	if c.Hiccup == nil {
		return 0
	}
	return c.Hiccup.MaxNS
}
