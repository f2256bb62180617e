package impact

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// movesCell has one group of three, to whose members happens what the faults say.
func movesCell(faults ...plan.Fault) plan.Cell {
	cell := cellOf(500, 20*second)
	cell.Shape.Connections, cell.Shape.Topology = 4, plan.Topology{Topics: 1, Groups: 1, Members: 3}
	cell.Settings.Faults = faults
	return cell
}

func systemOf(t *testing.T, cfg loopback.Config) *loopback.Factory {
	t.Helper()
	f, err := loopback.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func moved(t *testing.T, f requester.Factory, cell plan.Cell) (c *results.Cell) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if c, err = measured(t.Context(), f, cell, Options{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
	})
	wantWhole(t, c)
	return c
}

// A member that joins or leaves costs nothing here. What the one that was killed had not acknowledged
// comes twice, and what came for it until the system noticed comes late.
func TestMembersComeAndGo(t *testing.T) {
	system := systemOf(t, loopback.Config{Groups: []loopback.Config{{Delay: ms, Unacked: 50, Session: 3 * second}}})
	c := moved(t, system, movesCell(
		plan.Fault{At: 4 * second, Do: plan.Join, Node: "g0m2"},
		plan.Fault{At: 8 * second, Do: plan.Leave, Node: "g0m1"},
		plan.Fault{At: 12*second + ms/2, Do: plan.Kill, Node: "g0m0"},
		plan.Fault{At: 17 * second, Do: plan.Join, Node: "g0m0"},
	))
	if c.Ledger.Done != 10_000 || c.Ledger.Due != 10_000 || c.Verdict != results.Valid {
		t.Errorf("ledger %+v, %s %v", c.Ledger, c.Verdict, c.Problems)
	}
	for i, want := range []struct{ worst, at time.Duration }{{ms, 5 * second}, {ms, 9 * second}, {3 * second, 13 * second}, {ms, 18 * second}} {
		f := c.Faults[i]
		wantFor(t, f.Name()+" began", f.BeganNS, want.at)
		wantFor(t, f.Name()+" worst", f.Impact.WorstNS, want.worst)
		duplicates := map[bool]int64{true: 50}[i == 2]
		if f.Error != "" || f.Impact.Lost != 0 || f.Impact.Duplicates != duplicates {
			t.Errorf("%s: %+v %+v", f.Name(), f, *f.Impact)
		}
	}
	// Two share the first 4 s, three the next, two the next. What came for member 0 from 12 to 15 s and on its way goes to member 2.
	if got, want := c.Groups[0].Members, []int64{1000 + 667 + 1000 + 750, 1000 + 667, 667 + 1000 + 4000 - 750}; !near(got, want) {
		t.Errorf("messages by member %v, want %v", got, want)
	}
}

// near reports whether the messages of members are as wanted, but for a few.
func near(got, want []int64) bool {
	for i := range want {
		if d := got[i] - want[i]; d < -3 || d > 3 {
			return false
		}
	}
	return len(got) == len(want)
}

// A stubborn is a consumer that cannot leave, and that refuses to join a second time.
type stubborn struct {
	requester.Grouper

	joined int
}

func (s *stubborn) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	if m.Number > 0 {
		return s.Grouper.NewConsumer(m, sink)
	}
	if s.joined++; s.joined > 1 {
		return nil, errors.New("the door is shut")
	}
	c, err := s.Grouper.NewConsumer(m, sink)
	return stays{c.(requester.Mortal)}, err
}

type stays struct{ requester.Mortal }

func (stays) Depart(context.Context) error { return errors.New("it stays") }

// What did not happen says so, with its reason, and the cell is suspect.
func TestAMoveThatFails(t *testing.T) {
	c := moved(t, &stubborn{Grouper: systemOf(t, loopback.Config{})}, movesCell(
		plan.Fault{At: 4 * second, Do: plan.Leave, Node: "g0m0"},
		plan.Fault{At: 8 * second, Do: plan.Join, Node: "g0m0"},
	))
	if c.Faults[0].Error != "it stays" || c.Faults[1].Error != "the door is shut" || c.Faults[0].Done() || c.Verdict != results.Suspect {
		t.Errorf("%+v, %s", c.Faults, c.Verdict)
	}
	if !slices.ContainsFunc(c.Problems, func(p results.Problem) bool {
		return strings.Contains(p.Text, "join g0m0 at 8s was not made: the door is shut")
	}) {
		t.Errorf("problems %v", c.Problems)
	}
}

// A member whose time has not come when the run is over does not come any more.
func TestARunThatEndsBeforeAMove(t *testing.T) {
	cell := movesCell(plan.Fault{At: 15 * second, Do: plan.Leave, Node: "g0m0"})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*second)
		defer cancel()
		c, err := measured(ctx, systemOf(t, loopback.Config{}), cell, Options{})
		if err != nil || c.Faults[0].Done() || c.Faults[0].Error != "the run ended before" {
			t.Errorf("%v, %+v", err, c.Faults)
		}
		time.Sleep(time.Hour)
	})
}
