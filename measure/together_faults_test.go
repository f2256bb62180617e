package measure

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// made is what a breaker says who did all that is planned when it was planned.
func made(cell plan.Cell) (list []results.Fault) {
	for _, p := range cell.Settings.Faults {
		began := int64(cell.Settings.Warmup + p.At)
		list = append(list, results.Fault{Plan: p, BeganNS: began, BrokenNS: began + 1e6, HealedNS: new(began + 2e9)})
	}
	return list
}

// brokenParts measures a cell on so many agents in virtual time, each with a system of its own
// that behaves as the one of system, and adds them up. Nobody audits before all is mended.
func brokenParts(t *testing.T, n int, cell plan.Cell, system func(part int) *wire) *results.Cell {
	t.Helper()
	parts, folders := make([]Part, n), make([]*results.CellFolder, n)
	for i := range parts {
		folders[i] = newFolder(t, newStore(t), fmt.Sprintf("agent%d", i))
	}
	b := &scripted{faults: made(cell)}
	with := Runner{
		Breaker: func(plan.Cell) (Breaker, error) { return b, nil },
		Open:    func(plan.Target, string) (requester.Factory, error) { return &wire{}, nil },
	}.attendant(cell, nil, nil)
	synctest.Test(t, func(t *testing.T) {
		start := time.Now().Add(time.Second)
		if err := with.Prepare("run"); err != nil {
			t.Fatal(err)
		}
		if err := with.Begin(start); err != nil {
			t.Fatal(err)
		}
		var all, sending sync.WaitGroup
		mended := make(chan struct{})
		sending.Add(n)
		for i := range parts {
			w := system(i)
			w.start = start
			all.Go(func() {
				p := Part{Agent: results.Agent{Name: fmt.Sprintf("a%d", i+1), Index: i}}
				o := Options{
					Folder: folders[i], newWaiter: load.SleepWaiter, Part: schedule.Share{Index: i, Of: n},
					Ready:   func(context.Context) (time.Time, error) { return start, nil },
					Spanned: func(first, last time.Duration) { p.First, p.Last = first, last },
					Mended:  func() { sending.Done(); <-mended },
				}
				var err error
				if p.Cell, err = Cell(t.Context(), w, cell, o); err != nil {
					t.Error(err)
				}
				if p.Harm, err = folders[i].TakeHarm(); err != nil || p.Harm == nil {
					t.Errorf("what the faults did is not there: %v", err)
				}
				p.Log = func() (io.ReadCloser, error) { return folders[i].OpenIntervals() }
				parts[i] = p
			})
		}
		sending.Wait()
		with.Heal()
		close(mended)
		all.Wait()
		if err := with.End(true); err != nil || b.healed.IsZero() {
			t.Errorf("%v, healed at %v", err, b.healed)
		}
		time.Sleep(2 * time.Hour) // what was left behind ends
	})
	for _, p := range parts {
		if len(p.Cell.Faults) > 0 {
			t.Errorf("agent %s has faults of its own, which it knows nothing of: %+v", p.Name, p.Cell.Faults)
		}
	}
	c, err := Together(cell, time.Unix(1, 0), parts, Options{attendant: with})
	if err != nil {
		t.Fatal(err)
	}
	wantWhole(t, c)
	return c
}

// Three agents and one machine say the same of the same faults: outages, what became of each
// message, when p99 was back, and what was acknowledged and lost.
func TestTogetherSaysWhatFaultsDid(t *testing.T) {
	cell := shared(schedule.Constant)
	cell.Settings.Duration, cell.Settings.Timeout, cell.Settings.Audit = 20*second, 5*second, true
	cell.Settings.Warmup = second
	cell.Settings.Faults = killsAt(5*second, 12*second)
	silent := []silence{{6 * second, 8 * second}, {13 * second, 13*second + 700*ms}}
	system := func(int) *wire {
		return &wire{
			reply: always(ms, silent...), ack: always(2*ms, silent...),
			forgets: func(at time.Duration) bool { return at > 6*second && at < 6*second+100*ms },
			twice:   func(at time.Duration) bool { return at > 14*second && at < 14*second+50*ms },
		}
	}
	one, three := brokenParts(t, 1, cell, system), brokenParts(t, 3, cell, system)
	var alone *results.Cell
	synctest.Test(t, func(t *testing.T) {
		w, start := system(0), time.Now().Add(second)
		w.start = start
		var err error
		alone, err = Cell(t.Context(), w, cell, Options{
			newWaiter: load.SleepWaiter, Breaker: &scripted{faults: made(cell)}, Ready: func(context.Context) (time.Time, error) { return start, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
	})
	for name, c := range map[string]*results.Cell{"one agent": one, "three agents": three} {
		if len(c.Faults) != 2 || c.Verdict != alone.Verdict || c.Ledger != alone.Ledger {
			t.Errorf("%s: %s %+v of %d faults, want %s %+v", name, c.Verdict, c.Ledger, len(c.Faults), alone.Verdict, alone.Ledger)
			continue
		}
		for i := range c.Faults {
			got, want := *c.Faults[i].Harm, *alone.Faults[i].Harm
			if want.Deliveries == nil || !want.Deliveries.Shown || want.AckedLost == nil {
				t.Fatalf("the test shows nothing: %+v", want)
			}
			for _, o := range []*results.Outage{got.Deliveries, got.Acks, want.Deliveries, want.Acks} {
				o.UsualNS = 0 // what all are together is only bounded
			}
			if got.OutOfOrder == 0 || *got.AckedLost == 0 && i == 0 {
				t.Errorf("%s, fault %d: %d out of order, %d acknowledged and lost", name, i+1, got.OutOfOrder, *got.AckedLost)
			}
			got.OutOfOrder, want.OutOfOrder = 0, 0 // what comes at the same moment comes in any order
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, fault %d: %+v %+v %+v, want %+v %+v %+v", name, i+1, got, *got.Deliveries, *got.Acks, want, *want.Deliveries, *want.Acks)
			}
		}
		if p, ok := c.Problem(results.CodeFault); ok {
			t.Errorf("%s: %s", name, p.Text)
		}
	}
}

// An outage of one agent's connections alone is one of these, not of all.
func TestAnOutageOfOneAgent(t *testing.T) {
	cell := shared(schedule.Constant)
	cell.Settings.Duration, cell.Settings.Timeout, cell.Settings.Warmup = 10*second, 5*second, second
	cell.Settings.Faults = killsAt(3 * second)
	c := brokenParts(t, 3, cell, func(part int) *wire {
		if part == 1 { // it has two of the seven connections
			return &wire{reply: always(ms, silence{4 * second, 6 * second})}
		}
		return &wire{reply: always(ms)}
	})
	d := c.Faults[0].Harm.Deliveries
	if d == nil || !d.Shown || d.Connections != 2 || d.WholeNS != 0 {
		t.Fatalf("%+v, want an outage of two connections", d)
	}
	wantFor(t, "no deliveries", d.ForNS, 2*second)
}

// Nobody knows what was acknowledged to an agent that was lost, nor what it had sent.
func TestFaultsWithoutALostAgent(t *testing.T) {
	cell := shared(schedule.Constant)
	cell.Settings.Duration, cell.Settings.Warmup, cell.Settings.Faults = 6*second, second, killsAt(2*second)
	h := newHarm(cell, nil)
	tape, err := h.tape(newFaults(cell, Options{}, h), newPromised(7)).pack()
	if err != nil {
		t.Fatal(err)
	}
	f := &faults{planned: cell.Settings.Faults}
	lost, err := newHarm(cell, nil).addParts(f, []Part{{Cell: &results.Cell{}, Harm: tape}})
	if err != nil || lost == nil {
		t.Errorf("%v, %v, want what was lost", lost, err)
	}
	lost, err = newHarm(cell, nil).addParts(f, []Part{{Cell: &results.Cell{}, Harm: tape}, {}})
	if err == nil && lost != nil || err != nil && !strings.Contains(err.Error(), "no connection") {
		t.Errorf("%v, %v, want nothing known of what was lost", lost, err)
	}
	if _, err := newHarm(cell, nil).addParts(f, []Part{{Cell: &results.Cell{}, Harm: []byte("x")}}); err == nil {
		t.Error("what is no tape was read")
	}
}

// When all are silent is when each is: that is found although each keeps only its longest
// silences, or it is said how long one may be that is not.
func TestWhenAllAreSilent(t *testing.T) {
	edges := []time.Duration{second, 2 * second}
	parts := make([]*silences, 3)
	for i := range parts {
		parts[i] = newSilences(1, edges)
		parts[i].all.init(edges, keptOfParts)
	}
	note := func(part int, from, to, every time.Duration) {
		for at := from; at <= to; at += every {
			parts[part].note(0, at)
		}
	}
	for i, offset := range []time.Duration{0, 3 * ms, 7 * ms} {
		note(i, 10*ms+offset, 1500*ms, 10*ms)
		note(i, 1800*ms+10*offset, 2500*ms, 10*ms)
	}
	sum := newSilences(3, edges)
	for i, p := range parts {
		sum.add(p.tape(), i, 3)
	}
	sum.common()
	found := sum.all.caught(1501*ms, endless, 2500*ms, 0)
	if len(found) == 0 || found[0].from != 1500*ms || found[0].to != 1800*ms {
		t.Errorf("%+v, want one from 1.5 s until 1.8 s", found)
	}
	usual, ok := sum.all.usual(0, 1400*ms)
	if !ok || usual < 4*ms || usual > 10*ms {
		t.Errorf("usual: %v; it is 4 ms, and each part is silent for 10 ms", usual)
	}
	if got := overlaps([]silence{{0, 10}, {20, 30}, {40, endless}}, []silence{{5, 25}, {28, 50}}); !reflect.DeepEqual(got, []silence{{5, 10}, {20, 25}, {28, 30}, {40, 50}}) {
		t.Errorf("%v", got)
	}
}
