package measure

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// What is lost counts for the first fault that was not healed when the message was due.
func TestLossesCountForWhatWasNotHealed(t *testing.T) {
	second := int64(time.Second)
	fault := func(began int64, healed *int64) results.Fault {
		return results.Fault{BeganNS: began * second, BrokenNS: began*second + 1, HealedNS: healed}
	}
	for name, tt := range map[string]struct {
		faults []results.Fault
		want   []time.Duration
	}{
		"the first is never healed":       {[]results.Fault{fault(10, nil), fault(30, new(31*second))}, []time.Duration{endless, endless}},
		"each is healed before the next":  {[]results.Fault{fault(10, new(15*second)), fault(30, nil)}, []time.Duration{15 * time.Second, endless}},
		"the first is healed in the next": {[]results.Fault{fault(10, new(35*second)), fault(30, nil)}, []time.Duration{35 * time.Second, endless}},
		"the second is healed first":      {[]results.Fault{fault(10, new(40*second)), fault(20, new(25*second)), fault(50, nil)}, []time.Duration{40 * time.Second, 40 * time.Second, endless}},
	} {
		for i, a := range new(harm).aftermaths(tt.faults, time.Minute) {
			if a.lossesTo != tt.want[i] {
				t.Errorf("%s: those of fault %d are due until %v, want %v", name, i+1, a.lossesTo, tt.want[i])
			}
		}
	}
}
