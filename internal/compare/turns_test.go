package compare_test

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/results"
)

// began sets when each run began, in minutes.
func began(trials []compare.Trial, minutes ...int) []compare.Trial {
	for i, m := range minutes {
		trials[i].Cell.Started = time.Date(2026, 11, 21, 6, m, 0, 0, time.UTC)
	}
	return trials
}

// booted sets when each run began, in nanoseconds since the machine booted.
func booted(trials []compare.Trial, ns ...int64) []compare.Trial {
	for i, at := range ns {
		trials[i].Began = results.Moment{Boot: "b", UptimeNS: at}
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
		{"by turns", began(three(1), 0, 3, 4), began(three(1), 1, 2, 5), compare.Alternating, compare.Pairs},
		{"BASE always first", began(three(1), 0, 2, 4), began(three(1), 1, 3, 5), compare.SameFirst, compare.Repeats},
		{"NEW always first", began(three(1), 1, 3, 5), began(three(1), 0, 2, 4), compare.SameFirst, compare.Repeats},
		{"by turns, drawn", began(three(1), 1, 2, 4), began(three(1), 0, 3, 5), compare.Alternating, compare.Pairs},
		{"by turns, in another order of the trials", began(three(1), 4, 3, 0), began(three(1), 2, 5, 1), compare.Alternating, compare.Pairs},
		{"in a row", began(three(1), 0, 1, 2), began(three(1), 3, 4, 5), compare.InARow, compare.Repeats},
		{"in a row, NEW first", began(three(1), 3, 4, 5), began(three(1)[:2], 0, 1), compare.InARow, compare.Repeats},
		{"mixed", began(three(1), 0, 1, 4), began(three(1), 2, 3, 5), compare.Mixed, compare.Repeats},
		{"by turns, but one more", began(three(1), 0, 2, 4), began(three(1)[:2], 1, 3), compare.Mixed, compare.Repeats},
		{"by turns, on a clock that was set back", booted(began(three(1), 50, 0, 1), 1, 4, 5), booted(began(three(1), 51, 52, 2), 2, 3, 6), compare.Alternating, compare.Pairs},
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
