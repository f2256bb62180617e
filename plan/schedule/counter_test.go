package schedule_test

import (
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

func TestCountersAgreeWithTheSchedule(t *testing.T) {
	for _, arrivals := range every() {
		spec := schedule.Spec{Arrivals: arrivals, Rate: 997, Duration: 3 * time.Second, Seed: 7}
		for i := range 3 {
			part := schedule.Part{}.Split(i, 3)
			all := slices.Collect(spec.Offsets(part))
			counter := spec.Counter(part)
			for to := -time.Second; to < 5*time.Second; to += 123_456_789 {
				want, _ := slices.BinarySearch(all, to)
				if got := counter.Until(to); got != want {
					t.Errorf("%q, part %d: %d messages are due by %v, want %d", arrivals, i, got, to, want)
				}
			}
		}
	}
}

func TestACounterDoesNotAllocate(t *testing.T) {
	for _, arrivals := range every() {
		spec := schedule.Spec{Arrivals: arrivals, Rate: 1_000_000, Duration: time.Hour}
		counter, to := spec.Counter(schedule.Part{}), time.Duration(0)
		if n := testing.AllocsPerRun(100, func() { to += time.Millisecond; counter.Until(to) }); n != 0 {
			t.Errorf("%q: %v allocations", arrivals, n)
		}
	}
}
