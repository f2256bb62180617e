package impact

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
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

// A group that is killed and returns gets what came meanwhile, and what its members had not acknowledged comes twice.
func TestAGroupGoesAndReturns(t *testing.T) {
	system := systemOf(t, loopback.Config{Keeps: true, Groups: []loopback.Config{{Delay: ms, Unacked: 50}}})
	c := moved(t, system, movesCell(
		plan.Fault{At: 8*second + ms/2, Do: plan.Kill, Node: "g0"},
		plan.Fault{At: 12 * second, Do: plan.Join, Node: "g0"},
	))
	wantFor(t, "kill g0 worst", c.Faults[0].Impact.WorstNS, 4*second)
	if g := c.Groups[0]; len(c.Faults) != 2 || c.Faults[0].Error+c.Faults[1].Error != "" || g.Ledger.Done != 10_000 || g.Duplicate != 150 {
		t.Errorf("%+v, faults %+v", g, c.Faults)
	}
}

// A group of which one member does not leave says so once, and the others have left.
func TestAGroupThatLeavesInPart(t *testing.T) {
	c := moved(t, &stubborn{Grouper: systemOf(t, loopback.Config{})}, movesCell(
		plan.Fault{At: 4 * second, Do: plan.Leave, Node: "g0"},
		plan.Fault{At: 8 * second, Do: plan.Join, Node: "g0m1"},
	))
	if got := []string{c.Faults[0].Error, c.Faults[1].Error}; !slices.Equal(got, []string{"it stays", ""}) || c.Faults[0].Done() {
		t.Errorf("%q", got)
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

// The tracked are consumers that are slow to go. It counts those of member 0 that are there.
type tracked struct {
	requester.Grouper

	slow        time.Duration
	there, most atomic.Int32
}

func (t *tracked) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	c, err := t.Grouper.NewConsumer(m, sink)
	if m.Number > 0 {
		return c, err
	}
	return leaver{c.(requester.Mortal), t}, err
}

type leaver struct {
	requester.Mortal

	all *tracked
}

func (l leaver) Setup(ctx context.Context) error {
	l.all.most.Store(max(l.all.most.Load(), l.all.there.Add(1)))
	return l.Mortal.Setup(ctx)
}

func (l leaver) Teardown(ctx context.Context) error {
	time.Sleep(l.all.slow)
	l.all.there.Add(-1)
	return l.Mortal.Teardown(ctx)
}

// The moves of a member follow each other in the order of the plan, also those of the same moment, and those that
// are due before the one before them has ended. None of its consumers is left behind. A move of a group waits for its
// slowest member, which is member 0 here.
func TestMovesOfAMemberInOrder(t *testing.T) {
	for range 30 {
		for _, c := range []struct {
			slow, gap time.Duration
			node      string
		}{{0, 0, "g0m0"}, {3 * second, second, "g0m0"}, {3 * second, second, "g0"}} {
			cell := movesCell()
			cell.Shape.Rate = 20
			for i, do := range []plan.FaultKind{plan.Leave, plan.Join, plan.Kill, plan.Join} {
				cell.Settings.Faults = append(cell.Settings.Faults, plan.Fault{At: 4*second + time.Duration(i)*c.gap, Do: do, Node: c.node})
			}
			system := &tracked{Grouper: systemOf(t, loopback.Config{}), slow: c.slow}
			got := moved(t, system, cell)
			for i, want := range []time.Duration{5 * second, 5*second + c.slow, 5*second + max(c.slow, 2*c.gap), 5*second + 2*c.slow} {
				f := got.Faults[i]
				wantFor(t, f.Name()+" began", f.BeganNS, want)
				if i > 0 && f.BeganNS < got.Faults[i-1].BrokenNS {
					t.Errorf("%s began at %v, before %s had ended", f.Name(), time.Duration(f.BeganNS), got.Faults[i-1].Name())
				}
				if f.Error != "" {
					t.Errorf("%s: %s", f.Name(), f.Error)
				}
			}
			if there, most := system.there.Load(), system.most.Load(); there != 0 || most != 1 {
				t.Errorf("slow %v: %d consumers were not torn down, %d at once", c.slow, there, most)
			}
		}
	}
}

// A member that is there cannot join: its consumer stays.
func TestAMemberThatIsThereCannotJoin(t *testing.T) {
	system := &tracked{Grouper: systemOf(t, loopback.Config{})}
	c := moved(t, system, movesCell(
		plan.Fault{At: 4 * second, Do: plan.Join, Node: "g0m0"},
		plan.Fault{At: 8 * second, Do: plan.Join, Node: "g0m0"},
	))
	if c.Faults[0].Error != "" || c.Faults[1].Error != "the member is there already" || c.Verdict != results.Suspect {
		t.Errorf("%+v, %s", c.Faults, c.Verdict)
	}
	if there, most := system.there.Load(), system.most.Load(); there != 0 || most != 1 {
		t.Errorf("%d consumers were not torn down, %d at once", there, most)
	}
}

// The deaf are consumers whose Setup does not return when it is told to.
type deaf struct{ requester.Grouper }

func (d deaf) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	c, err := d.Grouper.NewConsumer(m, sink)
	if m.Number > 0 {
		return c, err
	}
	return hung{c.(requester.Mortal)}, err
}

type hung struct{ requester.Mortal }

func (hung) Setup(context.Context) error {
	time.Sleep(time.Hour)
	return nil
}

// A Setup that ignores its ctx holds up neither the moves after it nor the end of the run.
func TestAJoinThatDoesNotReturn(t *testing.T) {
	for window, want := range map[time.Duration][2]string{
		20 * second: {"the consumer does not return: context canceled", "the run ended before"},
		80 * second: {"the consumer does not return: context deadline exceeded", "the member is not there, or cannot come and go while messages are sent"},
	} {
		cell := movesCell(
			plan.Fault{At: 4 * second, Do: plan.Join, Node: "g0m0"},
			plan.Fault{At: 8 * second, Do: plan.Leave, Node: "g0m0"},
		)
		cell.Settings.Duration, cell.Shape.Rate = window, 20
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			c, err := measured(t.Context(), deaf{systemOf(t, loopback.Config{})}, cell, Options{})
			if err != nil || c.Faults[0].Error != want[0] || c.Faults[1].Error != want[1] {
				t.Errorf("%v, %+v", err, c.Faults)
			}
			if took := time.Since(begun); took > window+10*second {
				t.Errorf("a window of %v took %v", window, took)
			}
			time.Sleep(2 * time.Hour) // what was left behind ends
		})
	}
}

// The locked are consumers of which member 0 cannot be set up. It counts how often that one was torn down.
type locked struct {
	requester.Grouper

	ended atomic.Int32
}

func (l *locked) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	c, err := l.Grouper.NewConsumer(m, sink)
	if m.Number > 0 {
		return c, err
	}
	return outside{c.(requester.Mortal), l}, err
}

type outside struct {
	requester.Mortal

	all *locked
}

func (outside) Setup(context.Context) error { return errors.New("the door is shut") }

func (outside) Depart(ctx context.Context) error { // as of a consumer that never began
	<-ctx.Done()
	return ctx.Err()
}

func (o outside) Teardown(ctx context.Context) error {
	o.all.ended.Add(1)
	return ctx.Err()
}

// A member whose Setup fails is torn down, and a later leave says at once that it is not there.
func TestAMemberThatFailedToJoinCannotLeave(t *testing.T) {
	system := &locked{Grouper: systemOf(t, loopback.Config{})}
	c := moved(t, system, movesCell(
		plan.Fault{At: 4 * second, Do: plan.Join, Node: "g0m0"},
		plan.Fault{At: 8 * second, Do: plan.Leave, Node: "g0m0"},
	))
	if c.Faults[0].Error != "the door is shut" || !strings.HasPrefix(c.Faults[1].Error, "the member is not there") || system.ended.Load() != 1 {
		t.Errorf("%+v, torn down %d times", c.Faults, system.ended.Load())
	}
}

// An exclusive system makes one consumer at a time, as requester.Grouper may.
type exclusive struct {
	requester.Grouper

	inside, made atomic.Int32
	crowded      atomic.Bool
}

func (e *exclusive) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	if e.inside.Add(1) > 1 {
		e.crowded.Store(true)
	}
	for range 100 {
		runtime.Gosched()
	}
	e.made.Add(1)
	e.inside.Add(-1)
	return e.Grouper.NewConsumer(m, sink)
}

// Members that join at the same moment are made one after the other.
func TestMembersThatJoinTogether(t *testing.T) {
	cell := movesCell()
	cell.Shape.Rate, cell.Shape.Topology.Members = 20, 9
	for _, node := range []string{"g0m1", "g0m2", "g0m3", "g0m4", "g0m5", "g0m6", "g0m7", "g0m8"} {
		cell.Settings.Faults = append(cell.Settings.Faults, plan.Fault{At: 4 * second, Do: plan.Join, Node: node})
	}
	e := &exclusive{Grouper: systemOf(t, loopback.Config{})}
	if moved(t, e, cell); e.crowded.Load() || e.made.Load() != 9 {
		t.Errorf("%d were made, at once: %v", e.made.Load(), e.crowded.Load())
	}
}
