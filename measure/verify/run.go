package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/results"
)

// A Check compares what was measured in a scenario with its prediction.
type Check struct {
	Scenario string        `json:"scenario"`
	Mode     string        `json:"mode"` // "open loop" or "one in flight"
	Rows     []Row         `json:"rows"`
	Within   bool          `json:"within"`    // every checked row is within its tolerance
	BaseNS   int64         `json:"base_ns"`   // the overhead of a round trip, as measured, that the prediction includes; 0: none
	LateNS   int64         `json:"late_ns"`   // how late the system itself was, at most
	HiccupNS int64         `json:"hiccup_ns"` // the longest time this process was runnable but not scheduled
	Cell     *results.Cell `json:"cell"`      // the measurement
}

// A System is a scenario's system, running in another process.
type System interface {
	requester.Factory
	Late() (time.Duration, error) // how late replies left, at most
	Stop() error
}

// A Verifier measures scenarios.
type Verifier struct {
	Start func(loopback.Config) (System, error) // starts a system; required
	Begin func(s Scenario, n, of int)           // called before scenario n (from 1) of so many; may be nil
	// Observer returns what observes this process during a scenario; nil: nothing.
	Observer func() measure.Observer
}

// Run measures one scenario after the other. It stops at the first one that cannot
// be measured, or when ctx ends, and returns the checks made so far.
func (v Verifier) Run(ctx context.Context, scenarios []Scenario) ([]Check, error) {
	var checks []Check
	for i, s := range scenarios {
		if v.Begin != nil {
			v.Begin(s, i+1, len(scenarios))
		}
		check, err := v.check(ctx, s)
		if err != nil {
			return checks, fmt.Errorf("%s, %s: %w", s.Name, s.Mode(), err)
		}
		checks = append(checks, check)
	}
	return checks, nil
}

func (v Verifier) check(ctx context.Context, s Scenario) (check Check, err error) {
	system, err := v.Start(s.System)
	if err != nil {
		return Check{}, err
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	var o measure.Options
	if v.Observer != nil {
		o.Observer = v.Observer()
	}
	c, err := measure.Cell(ctx, system, s.Cell, o)
	if err != nil {
		return Check{}, err
	}
	if c.Interrupted {
		return Check{}, context.Cause(ctx)
	}
	late, err := system.Late()
	if err != nil {
		return Check{}, err
	}
	hiccup, overhead := longestHiccup(c), overhead(s, c)
	check = Check{Scenario: s.Name, Mode: s.Mode(), BaseNS: int64(overhead), LateNS: int64(late), HiccupNS: int64(hiccup), Cell: c}
	check.judge(compare(predict(s, overhead), c, limits{relative, s.System.Delay + overhead, ordinaryHiccup(c), max(late, hiccup)}))
	return check, nil
}

// overhead returns what a round trip took besides the system, if it adds up because
// messages wait for each other. At least half of the messages wait for nothing but
// the system, so the median of service shows it. If no message is expected to wait
// it is 0, and the rows show the overhead.
func overhead(s Scenario, c *results.Cell) time.Duration {
	if !s.serial() || s.steady() {
		return 0
	}
	row, _ := c.Service.At(50)
	median, _ := row.Value()
	return max(median-s.System.Delay, 0)
}

// judge sets the rows, and whether all of them are within their tolerance.
func (c *Check) judge(rows []Row) {
	c.Rows, c.Within = rows, true
	for _, r := range rows {
		c.Within = c.Within && (r.Within || !r.Checked)
	}
}
