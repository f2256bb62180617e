package impact

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// fallCell plans consumers that read nothing for a while.
func fallCell(at, lasts time.Duration) plan.Cell {
	cell := cellOf(500, 20*second)
	cell.Settings.Faults = []plan.Fault{{At: at, Do: plan.ConsumerPause, Node: plan.Consumers, For: lasts}}
	return cell
}

// The schedule goes on while the consumers stand still, and what waited is as old as it is.
func TestConsumersFallBehind(t *testing.T) {
	c := brokenCell(t, &wire{reply: always(ms), ack: always(ms)}, fallCell(5*second, 4*second))
	f := c.Faults[0]
	wantFor(t, "began", f.BeganNS, 6*second)
	wantFor(t, "healed", *f.HealedNS, 10*second)
	wantFor(t, "outage", f.Impact.Deliveries.ForNS, 4*second)
	if f.Impact.Acks.Shown || c.Ledger.Missing() != 0 || c.Verdict != results.Valid {
		t.Errorf("acks %+v, ledger %+v, %s %v", *f.Impact.Acks, c.Ledger, c.Verdict, c.Problems)
	}
	u := f.CatchUp
	if u.Behind < 1998 || u.Behind > 2002 || u.Undelivered != 0 {
		t.Errorf("%+v", *u)
	}
	wantFor(t, "drained", *u.DrainedNS, 0)
	wantFor(t, "oldest", u.Age.MaxNS, 4*second)
	if p50 := time.Duration(u.Age.P50NS); p50 < 1900*ms || p50 > 2200*ms {
		t.Errorf("age p50 %v", p50)
	}
}

// A backlog beyond what may be in flight waits in the client, and is sent when the consumers go on.
func TestCatchingUpTakesTime(t *testing.T) {
	cell := fallCell(5*second, 2*second)
	cell.Shape.InFlight = 10
	c := brokenCell(t, &wire{reply: always(ms)}, cell)
	u := c.Faults[0].CatchUp
	if u.Queued < 980 || u.Behind < 998 || c.Ledger.Missing() != 0 {
		t.Errorf("%+v, %+v", *u, c.Ledger)
	}
	if u.DrainedNS == nil || *u.DrainedNS <= 0 {
		t.Errorf("drained %v", u.DrainedNS)
	}
}

// Consumers that are to fall behind beyond the end go on when the cell ends.
func TestConsumersGoOnAtTheEnd(t *testing.T) {
	c := brokenCell(t, &wire{reply: always(ms)}, fallCell(19*second, time.Hour))
	f := c.Faults[0]
	if f.HealedNS == nil || f.Impact.Lost == 0 || f.Impact.Deliveries.Over() || f.CatchUp.Undelivered != f.CatchUp.Behind {
		t.Errorf("%+v %+v %+v", f, *f.Impact, f.CatchUp)
	}
}
