package cause_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
)

func TestSeriesKeepsItsSamples(t *testing.T) {
	var s cause.Series
	want := map[int]int64{3: 7, 4: 1, 100: 9}
	for _, at := range slices.Sorted(maps.Keys(want)) {
		s.Put(at, want[at])
	}
	if got := maps.Collect(s.All()); !maps.Equal(got, want) || !slices.Equal(s.Gaps, []int{3, 1, 96}) {
		t.Errorf("got %v, gaps %v", got, s.Gaps)
	}
	short := cause.Series{Gaps: []int{1, 1}, Value: []int64{5}}
	if got := maps.Collect(short.All()); len(got) != 1 {
		t.Errorf("got %v of a series without all values", got)
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ cause, where, want string }{
		{cause.Throttled, "2", "throttling by a CPU quota on node 2"},
		{cause.GCClient, cause.Client, "garbage collection in the client"},
		{cause.IO, cause.Machine, "I/O pressure on this machine"},
		{cause.Leader, cause.Machine, "a change of the leader"},
		{"unknown", "2", "unknown on node 2"},
	} {
		if got := (cause.Cause{Cause: tt.cause, Where: tt.where}).Name(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
