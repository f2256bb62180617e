package sections_test

import (
	"reflect"
	"testing"

	"github.com/brokerbench/brokerbench/internal/sections"
	"github.com/brokerbench/brokerbench/results"
)

// A section that was kept is complete again, and the whole has no percentile.
func TestSectionsAreCells(t *testing.T) {
	whole := &results.Cell{
		ID: "whole", SpinNS: 7, Broker: results.Broker{Product: "x"}, Audit: &results.Audit{Missing: 3}, Floor: new(results.Floor),
		Response: results.Distribution{Count: 9, MaxNS: 5, MeanNS: 4, Percentiles: []results.Percentile{{Percentile: 50}}, Histogram: "x"},
	}
	var want []*results.Cell
	for i, verdict := range []results.Verdict{results.Valid, results.Suspect} {
		s := &results.Cell{ID: "s", Verdict: verdict, Ledger: results.Ledger{Due: int64(i)}, Response: results.Distribution{Count: 1, Percentiles: []results.Percentile{{Percentile: 99}}}}
		sections.Complete(s, whole)
		one := *s
		want = append(want, &one)
		sections.Keep(whole, s)
		if s.Broker.Product != "" || s.Audit != nil {
			t.Errorf("what is in the cell is kept again: %+v", s)
		}
	}
	sections.Sum(whole)
	if got := sections.Of(whole); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if r := whole.Response; len(r.Percentiles) != 0 || r.Histogram != "" || r.MeanNS != 0 || r.Count != 9 || whole.Verdict != results.Suspect {
		t.Errorf("the whole is %v: %+v", whole.Verdict, r)
	}
	constant := &results.Cell{ID: "constant"}
	if got := sections.Of(constant); len(got) != 1 || got[0] != constant {
		t.Errorf("a constant rate has %+v", got)
	}
}
