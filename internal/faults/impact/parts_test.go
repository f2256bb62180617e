package impact

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// brokenParts measures a cell on so many agents in virtual time, each with its own system, and adds
// up what the faults did. No agent audits before everything is repaired.
func brokenParts(t *testing.T, n int, cell plan.Cell, system func(part int) *wire) *results.Cell {
	t.Helper()
	store, err := results.Create(t.TempDir(), "test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	b := &scripted{faults: made(cell)}
	c, d := &results.Cell{Plan: cell}, New(cell, Options{Injector: b})
	synctest.Test(t, func(t *testing.T) {
		start := time.Now().Add(time.Second)
		d.Begin(nil, start)
		var all, sending sync.WaitGroup
		repaired := make(chan struct{})
		for i := range n {
			w := system(i)
			w.start = start
			folder, err := store.CreateCell(fmt.Sprintf("agent%d", i))
			if err != nil {
				t.Fatal(err)
			}
			sending.Add(1)
			all.Go(func() {
				part, err := measuredWith(t.Context(), w, cell, Options{Part: true}, measure.Options{
					Folder: folder, Part: schedule.Part{Index: i, Of: n},
					Ready:   func(context.Context) (time.Time, error) { return start, nil },
					Settled: func() { sending.Done(); <-repaired },
				})
				if err != nil || len(part.Faults) > 0 {
					t.Errorf("%v; faults of a part: %+v", err, part.Faults)
				}
			})
		}
		sending.Wait()
		d.Heal()
		close(repaired)
		all.Wait()
		time.Sleep(2 * time.Hour) // what was left behind ends
	})
	for i := range n {
		packed, err := store.Cell(fmt.Sprintf("agent%d", i)).TakeImpact()
		if err != nil || packed == nil {
			t.Fatalf("agent %d saved nothing: %v", i, err)
		}
		if err := d.AddPart(packed, "a", i, n); err != nil {
			t.Fatal(err)
		}
	}
	d.AssessParts(c, load.Outcome{DueTill: cell.Settings.Warmup + cell.Settings.Duration, Acks: system(0).ack != nil})
	wantWhole(t, c)
	return c
}

// shared is a cell that agents can share.
func shared() plan.Cell {
	cell := cellOf(1000, 8*time.Second)
	cell.Shape.Connections, cell.Shape.Arrivals = 7, schedule.Constant
	return cell
}

// Three agents and one machine say the same of the same faults: outages, what became of each
// message, when p99 was back, and what was acknowledged and lost.
func TestPartsAddUpToTheCell(t *testing.T) {
	cell := shared()
	cell.Settings.Duration, cell.Settings.Timeout, cell.Settings.Audit = 20*second, 5*second, true
	cell.Settings.Warmup = second
	cell.Settings.Faults = killsAt(5*second, 12*second)
	silent := []gap{{6 * second, 8 * second}, {13 * second, 13*second + 700*ms}}
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
		alone, err = measuredWith(t.Context(), w, cell, Options{Injector: &scripted{faults: made(cell)}}, measure.Options{
			Ready: func(context.Context) (time.Time, error) { return start, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
	})
	for name, c := range map[string]*results.Cell{"one agent": one, "three agents": three} {
		for i := range c.Faults {
			got, want := *c.Faults[i].Impact, *alone.Faults[i].Impact
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
	}
}

// An outage of one agent's connections alone is one of these, not of all.
func TestAnOutageOfOneAgent(t *testing.T) {
	cell := shared()
	cell.Settings.Duration, cell.Settings.Timeout, cell.Settings.Warmup = 10*second, 5*second, second
	cell.Settings.Faults = killsAt(3 * second)
	c := brokenParts(t, 3, cell, func(part int) *wire {
		if part == 1 { // it has two of the seven connections
			return &wire{reply: always(ms, gap{4 * second, 6 * second})}
		}
		return &wire{reply: always(ms)}
	})
	d := c.Faults[0].Impact.Deliveries
	if d == nil || !d.Shown || d.Connections != 2 || d.WholeNS != 0 {
		t.Fatalf("%+v, want an outage of two connections", d)
	}
	wantFor(t, "no deliveries", d.ForNS, 2*second)
}
