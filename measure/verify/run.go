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

// A Check is a scenario that was measured, beside its prediction.
type Check struct {
	Scenario string        `json:"scenario"`
	Mode     string        `json:"mode"` // "open loop" or "one in flight"
	Rows     []Row         `json:"rows"`
	Within   bool          `json:"within"`    // every checked row is within its tolerance
	BaseNS   int64         `json:"base_ns"`   // what the round trip takes besides what is predicted, as measured; 0: none was allowed for
	LateNS   int64         `json:"late_ns"`   // by how much the system itself was late, at most
	HiccupNS int64         `json:"hiccup_ns"` // for how long this process did not run although it wanted to, at most
	Cell     *results.Cell `json:"cell"`      // the measurement
}

// A System is a scenario's system, running in another process.
type System interface {
	requester.Factory
	Late() (time.Duration, error) // by how much the latest reply left after its moment
	Stop() error
}

// A Verifier measures scenarios.
type Verifier struct {
	Start func(loopback.Config) (System, error) // starts a system; required
	Begin func(s Scenario, n, of int)           // called before scenario n (from 1) of so many; may be nil
	// Observer returns who watches this process during a scenario; nil: nobody.
	Observer func() measure.Observer
}

// Run measures every scenario, one after the other. It ends with the first that
// cannot be measured, or with ctx; the checks made until then are returned.
func (v Verifier) Run(ctx context.Context, scenarios []Scenario) ([]Check, error) {
	var checks []Check
	for i, s := range scenarios {
		if v.Begin != nil {
			v.Begin(s, i+1, len(scenarios))
		}
		check, err := v.check(ctx, s)
		if err != nil {
			return checks, fmt.Errorf("verify: %s, %s: %w", s.Name, s.Mode(), err)
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
	c, err := measure.Cell(ctx, system, s.Cell, measure.Options{Observer: v.observer()})
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
	check.judge(compare(Predict(s, overhead), c, limits{relative, s.System.Delay + overhead, ordinaryHiccup(c), max(late, hiccup)}))
	return check, nil
}

// overhead returns what a round trip took besides the system, where it adds up
// because ops wait for each other: half of the ops, at least, wait for nothing
// but the system, so the median of service tells. Where nothing is expected to
// wait it is 0, and the rows show it.
func overhead(s Scenario, c *results.Cell) time.Duration {
	if !s.Serial() || s.steady() {
		return 0
	}
	row, _ := c.Service.At(50)
	median, _ := row.Value()
	return max(median-s.System.Delay, 0)
}

func (v Verifier) observer() measure.Observer {
	if v.Observer == nil {
		return nil
	}
	return v.Observer()
}

// judge takes the rows and says whether all are good.
func (c *Check) judge(rows []Row) {
	c.Rows, c.Within = rows, true
	for _, r := range rows {
		c.Within = c.Within && (r.Within || !r.Checked)
	}
}
