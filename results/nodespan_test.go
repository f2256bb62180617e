package results_test

import (
	"reflect"
	"testing"

	"github.com/brokerbench/brokerbench/results"
)

// nodeSecond is what a node did in the second that begins there.
func nodeSecond(from, processes int64, count *int64) results.NodeInterval {
	return results.NodeInterval{FromNS: from * 1e9, ToNS: (from + 1) * 1e9, NodeUsage: results.NodeUsage{
		Node: "1", Processes: processes, CPUNS: count, ResidentBytes: count, ReadBytes: count, WrittenBytes: count,
	}}
}

// A dead node has no counts, where its file has zeros; one on another machine has not died.
func TestANodeThatIsGoneHasNoCounts(t *testing.T) {
	if got := nodeSecond(3, 0, new(int64(0))).Span(); got != (results.NodeSpan{GoneNS: 1e9}) {
		t.Errorf("dead: %+v", got)
	}
	if got := nodeSecond(3, 0, nil).Span(); got != (results.NodeSpan{RanNS: 1e9}) {
		t.Errorf("on another machine: %+v", got)
	}
}

// A node that was dead for a part of a stretch did there what it did in the rest.
func TestTimeWithoutANodeTakesNothingAway(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	ran := func(v int64) results.NodeSpan { return nodeSecond(0, 1, n(v)).Span() }
	gone, unknown := nodeSecond(0, 0, n(0)).Span(), nodeSecond(0, 1, nil).Span()
	for name, tt := range map[string]struct {
		of   []results.NodeSpan
		want results.NodeSpan
	}{
		"nothing":       {nil, results.NodeSpan{}},
		"alive":         {[]results.NodeSpan{ran(2), ran(3)}, results.NodeSpan{2e9, 0, n(5), n(3), n(5), n(5)}},
		"dead between":  {[]results.NodeSpan{ran(2), gone, gone, ran(3)}, results.NodeSpan{2e9, 2e9, n(5), n(3), n(5), n(5)}},
		"dead at first": {[]results.NodeSpan{gone, ran(3)}, results.NodeSpan{1e9, 1e9, n(3), n(3), n(3), n(3)}},
		"dead":          {[]results.NodeSpan{gone, gone}, results.NodeSpan{GoneNS: 2e9}},
		"not known":     {[]results.NodeSpan{ran(2), unknown, gone, ran(4)}, results.NodeSpan{RanNS: 3e9, GoneNS: 1e9}},
	} {
		var sum results.NodeSpan
		for _, s := range tt.of {
			sum = sum.Plus(s)
		}
		if !reflect.DeepEqual(sum, tt.want) {
			t.Errorf("%s: %+v, want %+v", name, sum, tt.want)
		}
	}
}
