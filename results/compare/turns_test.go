package compare_test

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results/compare"
)

// began sets when each run began, in minutes.
func began(trials []compare.Trial, minutes ...int) []compare.Trial {
	for i, m := range minutes {
		trials[i].Cell.Started = time.Date(2026, 11, 21, 6, m, 0, 0, time.UTC)
	}
	return trials
}

func TestOrders(t *testing.T) {
	for _, c := range []struct {
		name       string
		base, next []compare.Trial
		order      compare.Order
		method     compare.Method
	}{
		{"by turns", began(three(1), 0, 2, 4), began(three(1), 1, 3, 5), compare.Alternating, compare.Pairs},
		{"by turns, drawn", began(three(1), 1, 2, 4), began(three(1), 0, 3, 5), compare.Alternating, compare.Pairs},
		{"by turns, in another order of the trials", began(three(1), 4, 2, 0), began(three(1), 3, 5, 1), compare.Alternating, compare.Pairs},
		{"in a row", began(three(1), 0, 1, 2), began(three(1), 3, 4, 5), compare.InARow, compare.Repeats},
		{"in a row, NEW first", began(three(1), 3, 4, 5), began(three(1)[:2], 0, 1), compare.InARow, compare.Repeats},
		{"mixed", began(three(1), 0, 1, 4), began(three(1), 2, 3, 5), compare.Mixed, compare.Repeats},
		{"by turns, but one more", began(three(1), 0, 2, 4), began(three(1)[:2], 1, 3), compare.Mixed, compare.Repeats},
		{"at the same time", began(three(1), 0, 2, 4), began(three(1), 0, 2, 4), "", compare.Repeats},
		{"times that are not known", three(1), began(three(1), 1, 3, 5), "", compare.Repeats},
		{"one against repeats", began(three(1), 0, 2, 4), []compare.Trial{withSeries(began(three(1)[:1], 1)[0], 12)}, "", compare.OneAgainst},
	} {
		p := compared(t, set(c.base...), set(c.next...), compare.Options{}).Pairs[0]
		if p.Order != c.order || p.Method != c.method {
			t.Errorf("%s: %q, %s; want %q, %s", c.name, p.Order, p.Method, c.order, c.method)
		}
	}
}

// A machine that becomes slower by a half from turn to turn hides nothing: both runs of a
// turn are as slow. Without turns nothing would be shown.
func TestPairsSeeThroughADrift(t *testing.T) {
	var list []compare.Turn
	for i, speed := range []float64{1, 1.5, 2.25, 3.4, 5} {
		list = append(list, compare.Turn{Base: made(i+1, speed), New: made(i+1, 1.1*speed*(1+0.001*float64(i%2)))})
	}
	base, next := set(), set()
	base.Dir, next.Dir = "before", "after"
	c, err := compare.Turns(base, next, list, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := row(t, c.Pairs[0], 99)
	if c.Base.Dir != "before" || c.Pairs[0].Method != compare.Pairs || got.Answer != compare.Slower || *got.High-*got.Low > 0.02 {
		t.Errorf("%s against %s: %+v", c.Base.Dir, c.New.Dir, got)
	}
	for i, turn := range list {
		base.Trials, next.Trials = append(base.Trials, turn.Base), append(next.Trials, list[len(list)-1-i].New)
	}
	if got := row(t, compared(t, base, next, compare.Options{}).Pairs[0], 99); got.Answer != compare.NoDifference {
		t.Errorf("not by turns: %+v", got)
	}
	if _, err := compare.Turns(base, next, nil, compare.Options{}); err == nil {
		t.Error("no turns, and no error")
	}
}
