package leftover

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

func TestKeep(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	const old, fresh, undated = "20261121t120000-0000abcd", "20261122t115900-0000abcd", "verify-77"
	past, lately := now.Add(-2*time.Hour), now.Add(-time.Minute)
	for name, tc := range map[string]struct {
		query  requester.LeftoverQuery
		things []requester.Leftover
		want   string // in the reason of the first; "" if it may be removed
	}{
		"an old run":                        {things: []requester.Leftover{{Name: old + "-0.0", Used: past}}},
		"a run that began lately":           {things: []requester.Leftover{{Name: fresh + "-0.0"}}, want: "used 1m0s ago"},
		"a run that is named":               {query: requester.LeftoverQuery{Run: fresh}, things: []requester.Leftover{{Name: fresh + "-0.0"}}},
		"one thing of it was used lately":   {things: []requester.Leftover{{Name: old + "-0.0", Used: past}, {Name: old + "-0.1", Used: lately}}, want: "used 1m0s ago"},
		"another cell was used lately":      {things: []requester.Leftover{{Name: old + "-0.0", Used: past}, {Name: old + "-12.0", Used: lately}}, want: "used 1m0s ago"},
		"another cell is in use":            {things: []requester.Leftover{{Name: old + "-1.0"}, {Name: old + "-0.0", Busy: "messages arrive"}}, want: "in use"},
		"another run is in use":             {things: []requester.Leftover{{Name: old + "-1.0", Used: past}, {Name: fresh + "-0.0", Busy: "messages arrive"}}},
		"a long run has just made a topic":  {things: []requester.Leftover{{Name: old + "-3.0"}}, want: "not known"},
		"the same, when the run is named":   {query: requester.LeftoverQuery{Run: old}, things: []requester.Leftover{{Name: old + "-3.0"}}},
		"named, and one thing is in use":    {query: requester.LeftoverQuery{Run: old}, things: []requester.Leftover{{Name: old + "-0.1"}, {Name: old + "-0.0", Busy: "messages arrive"}}, want: "in use"},
		"verify, without a date":            {things: []requester.Leftover{{Name: undated + ".0"}}, want: "not known"},
		"verify, without a date, used once": {things: []requester.Leftover{{Name: undated + ".0", Used: past}}},
		"verify, which began lately":        {things: []requester.Leftover{{Name: "verify-" + fresh + ".0", Used: past}}, want: "used 1m0s ago"},
		"a stranger":                        {things: []requester.Leftover{{Name: "orders.0", Used: past}}, want: "no run such a name"},
		"a stranger that looks alike":       {things: []requester.Leftover{{Name: "20261399t000000-0000abcd-0.0", Used: past}}, want: "no run such a name"},
	} {
		for i := range tc.things {
			tc.things[i].Name = "brokerbench." + tc.things[i].Name
		}
		got := Keep(tc.things, tc.query, time.Hour, now)[0]
		if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: kept because %q, want %q", name, got, tc.want)
		}
	}
}

func TestWantsOnlyNamesOfTheRun(t *testing.T) {
	const run = "20261122t115900-0000abcd"
	for name, want := range map[string]bool{
		run + ".0": true, run + "-1.0": true, run + "-12.34": true,
		run + "0.0": false, run + "-x.0": false, run + "-1-2.0": false, "verify-" + run + ".0": false, "20261122t115900-0000abce-1.0": false,
		run: false, run + ".x": false, run + ".b.0": false,
	} {
		if got := Wants((requester.LeftoverQuery{Run: run}), "brokerbench."+name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if q := (requester.LeftoverQuery{Run: run + "-1"}); !Wants(q, "brokerbench."+run+"-1.0") || Wants(q, "brokerbench."+run+"-12.0") || Wants(q, "brokerbench."+run+".0") {
		t.Error("of a cell")
	}
	if Wants((requester.LeftoverQuery{Run: run}), "x"+"brokerbench."+run+".0") || !Wants((requester.LeftoverQuery{}), "brokerbench.anything.7") || Wants((requester.LeftoverQuery{}), "orders") {
		t.Error("without a run")
	}
}
