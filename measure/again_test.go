package measure

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A changing system keeps messages, and backs another level at each question; the last answer stays.
type changing struct {
	*keeper

	answers []answer
	asked   atomic.Int64 // a question that hangs is left behind, and counts itself
}

type answer struct {
	*requester.Backing

	err   error
	takes time.Duration
}

func (c *changing) Describe(context.Context) (requester.Description, error) {
	a := c.answers[min(int(c.asked.Add(1)), len(c.answers))-1]
	time.Sleep(a.takes)
	return requester.Description{Product: "x", Durability: a.Backing}, a.err
}

var (
	errUnbacked = errors.New("the broker does not back it")
	errDown     = errors.New("it is down")
)

// A level that does not hold after the window is withdrawn, and an answer that does not come leaves it
// unverified. After a fault the system has some time to back the level again.
func TestTheLevelIsAskedForAgain(t *testing.T) {
	const machine, accepted, process = requester.Machine, requester.Accepted, requester.Process
	held := answer{Backing: &requester.Backing{Level: machine, Asked: machine}}
	fell := answer{Backing: &requester.Backing{Level: accepted, Asked: machine, Limit: "appendonly is no"}, err: errUnbacked}
	faults := []plan.Fault{{Do: plan.Kill, Node: "1"}}
	for name, tt := range map[string]struct {
		answers   []answer
		faults    []plan.Fault
		level     requester.Durability
		withdrawn requester.Durability
		verified  bool
		asked     int64
	}{
		"it holds":                   {[]answer{held}, nil, machine, "", true, 2},
		"it fell":                    {[]answer{held, fell}, nil, accepted, machine, true, 2},
		"no answer":                  {[]answer{held, {err: errDown}}, nil, machine, "", false, 2},
		"a hanging answer":           {[]answer{held, {takes: time.Hour}}, nil, machine, "", false, 2},
		"none was promised":          {[]answer{{Backing: &requester.Backing{Level: requester.None}}}, nil, requester.None, "", true, 1},
		"more than asked for":        {[]answer{{Backing: &requester.Backing{Level: machine, Asked: process}}, {Backing: &requester.Backing{Level: process, Asked: process}}}, nil, machine, "", true, 2},
		"a fault, and back":          {[]answer{held, fell, {err: errDown}, held}, faults, machine, "", true, 4},
		"a fault, and never as much": {[]answer{held, fell}, faults, accepted, machine, true, 39},
	} {
		c := &changing{keeper: &keeper{}, answers: tt.answers}
		cell := cellOf(1000, time.Second)
		cell.Settings.Timeout, cell.Settings.Faults = time.Second, tt.faults
		synctest.Test(t, func(t *testing.T) {
			r, err := judged(t.Context(), c, cell, Options{NewWaiter: load.SleepWaiter})
			if err != nil {
				t.Fatal(err)
			}
			b := r.Broker.Durability
			_, doubted := r.Problem(results.CodeDurability)
			if b.Level != tt.level || b.Withdrawn != tt.withdrawn || (len(b.NotVerified) == 0) != tt.verified || doubted != (tt.withdrawn != "") || c.asked.Load() != tt.asked {
				t.Errorf("%s: %+v after %d questions, doubted: %v", name, b, c.asked.Load(), doubted)
			}
			time.Sleep(2 * time.Hour) // what was left behind ends
		})
	}
}

// A silent system answers neither which durability it backs nor what it has, once it has been asked.
type silent struct {
	slowly

	asked atomic.Bool
}

func (s *silent) Describe(ctx context.Context) (requester.Description, error) {
	if s.asked.Swap(true) {
		<-ctx.Done()
		return requester.Description{}, ctx.Err()
	}
	return requester.Description{Product: "x", Durability: &requester.Backing{Level: requester.Machine}}, nil
}

// A target that is gone is waited for once: not for the level and then for the audit.
func TestATargetThatIsGoneIsWaitedForOnce(t *testing.T) {
	for name, obeys := range map[string]bool{"the audit ends when it is told to": true, "it never ends": false} {
		synctest.Test(t, func(t *testing.T) {
			cell := cellOf(100, time.Second)
			cell.Settings.Audit = true
			var begun time.Time
			c, err := judged(t.Context(), &silent{slowly: slowly{keeper: &keeper{}, obeys: obeys}}, cell, Options{
				NewWaiter: load.SleepWaiter, Started: func(start time.Time) { begun = start },
			})
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begun); took < 1900*time.Millisecond+againLimit || took > 2*time.Second+againLimit+2*lastMoment {
				t.Errorf("%s: it took %v", name, took)
			}
			if c.Audit == nil || c.Audit.Error != errAuditor.Error() || len(c.Broker.Durability.NotVerified) == 0 {
				t.Errorf("%s: %+v, %+v", name, c.Audit, c.Broker.Durability)
			}
			time.Sleep(48 * time.Hour) // what was left behind ends
		})
	}
}
