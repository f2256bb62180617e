package impact

import (
	"reflect"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// The losses are unknown if a part was lost.
func TestLossesWithoutALostPart(t *testing.T) {
	cell := cellOf(1000, 6*second)
	cell.Settings.Faults = killsAt(2 * second)
	packed, err := newRecorder(cell, true).snapshot(record.NewBitmap(1)).pack()
	if err != nil {
		t.Fatal(err)
	}
	assessed := func(parts ...[]byte) (lost *int64) {
		d, c := New(cell, Options{Injector: &scripted{faults: made(cell)}}), &results.Cell{Plan: cell}
		d.Begin(nil, time.Now())
		d.Heal()
		for i, part := range parts {
			if err := d.AddPart(part, "a", i, len(parts)); err != nil {
				t.Fatal(err)
			}
		}
		d.AssessParts(c, load.Outcome{DueTill: 7 * second})
		return c.Faults[0].Impact.AckedLost
	}
	if lost := assessed(packed); lost == nil || *lost != 0 {
		t.Errorf("%v, want 0", lost)
	}
	if lost := assessed(packed, nil); lost != nil {
		t.Errorf("%d, want unknown", *lost)
	}
	if err := New(cell, Options{}).AddPart([]byte("x"), "a", 0, 1); err == nil {
		t.Error("an invalid snapshot was read")
	}
}

// When all are silent is when each is: that is found although each keeps only its longest
// silences, or it is said how long one may be that is not.
func TestWhenAllAreSilent(t *testing.T) {
	edges := []time.Duration{second, 2 * second}
	parts := make([]*connGaps, 3)
	for i := range parts {
		parts[i] = newConnGaps(1, edges, keptOfParts)
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
	sum := newConnGaps(3, edges, keptGaps)
	for i, p := range parts {
		if err := sum.add(p, i, 3); err != nil {
			t.Fatal(err)
		}
	}
	sum.merge()
	found := sum.All.own(1501*ms, endless, 2500*ms, 0)
	if len(found) == 0 || found[0].From != 1500*ms || found[0].To != 1800*ms {
		t.Errorf("%+v, want one from 1.5 s until 1.8 s", found)
	}
	usual, ok := sum.All.usual(0, 1400*ms)
	if !ok || usual < 4*ms || usual > 10*ms {
		t.Errorf("usual: %v; it is 4 ms, and each part is silent for 10 ms", usual)
	}
	if got := overlaps([]gap{{0, 10}, {20, 30}, {40, endless}}, []gap{{5, 25}, {28, 50}}); !reflect.DeepEqual(got, []gap{{5, 10}, {20, 25}, {28, 30}, {40, 50}}) {
		t.Errorf("%v", got)
	}
}
