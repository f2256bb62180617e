package leftover

import (
	"strings"
	"testing"
	"time"
)

func TestKeep(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	const old, fresh, unnamed = "20261121t120000-ab-0", "20261122t115900-ab-0", "verify-77"
	for _, tc := range []struct {
		name   string
		query  Query
		things []Thing
		run    string
		want   string // in the reason; "" if it may be removed
	}{
		{"an old run", Query{}, []Thing{{Name: "brokerbench." + old + ".0"}}, old, ""},
		{"a run that began lately", Query{}, []Thing{{Name: "brokerbench." + fresh + ".0"}}, fresh, "used 1m0s ago"},
		{"a run that is named", Query{Run: "20261122t115900-ab"}, []Thing{{Name: "brokerbench." + fresh + ".0"}}, fresh, ""},
		{
			"a long run: one thing was used lately",
			Query{},
			[]Thing{{Name: "brokerbench." + old + ".0"}, {Name: "brokerbench." + old + ".1", Used: now.Add(-time.Minute)}},
			old, "used 1m0s ago",
		},
		{
			"a named run of which one thing is in use",
			Query{Run: old},
			[]Thing{{Name: "brokerbench." + old + ".0", Busy: "messages arrive"}, {Name: "brokerbench." + old + ".1"}},
			old, "in use",
		},
		{"nobody knows", Query{}, []Thing{{Name: "brokerbench." + unnamed + ".0"}}, unnamed, "not known"},
		{"used long ago", Query{}, []Thing{{Name: "brokerbench." + unnamed + ".0", Used: now.Add(-2 * time.Hour)}}, unnamed, ""},
	} {
		got, ok := Keep(tc.things, tc.query, time.Hour, now)[tc.run]
		if tc.want != "" && !ok || tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s: kept because %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestWantsOnlyNamesOfOurs(t *testing.T) {
	for name, want := range map[string]bool{
		"brokerbench.a-1.0": true, "brokerbench.a.0": true, "brokerbench.ab.0": false, "brokerbench.b-a.0": false,
		"brokerbench.a": false, "brokerbench.a.x": false, "brokerbench.a.b.0": false, "xbrokerbench.a.0": false, "": false,
	} {
		if got := (Query{Run: "a"}).Wants(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if !(Query{}).Wants("brokerbench.anything.7") || (Query{}).Wants("orders") {
		t.Error("without a run")
	}
}
