package record

import (
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
)

func TestDuesAgreeWithTheSchedule(t *testing.T) {
	for _, arrivals := range []schedule.Arrivals{"", schedule.Constant, schedule.Poisson, schedule.Burst(10)} {
		spec := schedule.Spec{Arrivals: arrivals, Rate: 997, Duration: 3 * time.Second, Seed: 7}
		var all []time.Duration
		for i := range 3 {
			all = append(all, slices.Collect(spec.Offsets(schedule.Part{}.Split(i, 3)))...)
		}
		d := NewDues(load.Config{Schedule: spec, Connections: 3})
		for to := -time.Second; to < 5*time.Second; to += 123_456_789 {
			want := int64(0)
			for _, due := range all {
				if due < to {
					want++
				}
			}
			if got := d.Until(to); got != want {
				t.Errorf("%q: %d messages due by %v, want %d", arrivals, got, to, want)
			}
		}
	}
}
