package compare_test

import (
	"errors"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// killedFor has an outage of deliveries, in seconds; 0 is none, and a negative one is never over.
func killedFor(seconds float64, lost int64) func(*results.Cell) {
	return func(c *results.Cell) {
		ns := int64(seconds * 1e9)
		c.Plan.Settings.Faults = []plan.Fault{{At: 10 * time.Second, Do: plan.Kill, Node: plan.Leader}}
		o := &results.Outage{Shown: ns != 0, ForNS: max(ns, -ns), FirstNS: new(max(ns, -ns))}
		if ns < 0 {
			o.FirstNS = nil
		}
		c.Faults = []results.Fault{{
			Plan: c.Plan.Settings.Faults[0], BeganNS: 1e10, BrokenNS: 1e10,
			Impact: &results.Impact{Deliveries: o, BaseP99NS: new(int64(1e6)), RecoveredNS: new(max(ns, -ns))},
		}}
		c.Audit = &results.Audit{Acked: 100, Kept: 100 - lost, Missing: lost}
	}
}

// outages returns runs with these outages in seconds.
func outages(lost int64, seconds ...float64) (trials []compare.Trial) {
	for i, s := range seconds {
		trials = append(trials, made(i+1, 1+0.01*float64(i), killedFor(s, lost)))
	}
	return trials
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name       string
		base, next []compare.Trial
		want       compare.Answer
		reasons    bool
	}{
		{"half as long", outages(0, 8, 8.4, 7.9, 8.1), outages(0, 4, 4.1, 3.9, 4.2), compare.Shorter, false},
		{"twice as long", outages(0, 4, 4.1, 3.9, 4.2), outages(0, 8, 8.4, 7.9, 8.1), compare.Longer, false},
		{"the same", outages(0, 4, 5, 6, 4.5), outages(0, 4.2, 5.1, 5.5, 4.9), compare.NoDifference, false},
		{"never over in one run", outages(0, 4, 4, 4, 4), outages(0, 4, -4, 4, 4), compare.NotComparable, true},
		{"none in one run", outages(0, 4, 4, 4, 4), outages(0, 4, 0, 4, 4), compare.NotComparable, true},
	} {
		got := compared(t, set(c.base...), set(c.next...), compare.Options{}).Pairs[0]
		if len(got.Faults) != 2 { // acknowledgements are not known
			t.Fatalf("%s: %+v", c.name, got.Faults)
		}
		if r := got.Faults[0]; r.Time.Answer != c.want || (r.Time.Reason != "") != c.reasons || r.Fault != "kill leader at 10s" || r.What != "no deliveries" {
			t.Errorf("%s: %+v, want %s", c.name, r, c.want)
		}
		if got.Lost != nil {
			t.Errorf("%s: lost %+v", c.name, got.Lost)
		}
	}
}

func TestWhatIsLostOnBothSides(t *testing.T) {
	got := compared(t, set(outages(3, 4, 4, 4)...), set(outages(0, 4, 4, 4)...), compare.Options{}).Pairs[0].Lost
	if got == nil || got.Base != 9 || got.New != 0 {
		t.Errorf("%+v", got)
	}
}

// Runs of which one side broke something else are not compared.
func TestOtherFaultsAreRefused(t *testing.T) {
	other := func(c *results.Cell) {
		killedFor(4, 0)(c)
		c.Plan.Settings.Faults[0].Restart = 5 * time.Second
	}
	for _, next := range [][]compare.Trial{three(1), three(1, other)} {
		_, err := compare.Compare(set(three(1, killedFor(4, 0))...), set(next...), compare.Options{Decisive: decisive()})
		if refused := (*compare.RefusedError)(nil); !errors.As(err, &refused) || refused.Unequal[0].Name != "faults" {
			t.Errorf("%v", err)
		}
	}
}
