package machine

import (
	"strings"
	"testing"
	"time"
)

func TestTheStepOfAClockIsItsSmallest(t *testing.T) {
	for _, tt := range []struct {
		name       string
		step, cost time.Duration // of the clock; of a reading
		want       time.Duration
		most       int // readings
	}{
		{"Linux", 1, 23, 23, 2001},
		{"macOS", 41, 20, 41, 10_000},
		{"Windows", 500 * time.Microsecond, 8, 500 * time.Microsecond, 300_000},
		{"Windows at rest", 15_625 * time.Microsecond, 5, 15_625 * time.Microsecond, readsAtMost + 1},
		{"Windows, the core taken away at times", 500 * time.Microsecond, 8, 500 * time.Microsecond, 300_000},
		{"stands still", time.Hour, 1, 0, readsAtMost + 1},
	} {
		reads, now := 0, time.Duration(0)
		got := smallestStep(func() time.Duration {
			reads++
			now += tt.cost
			if strings.Contains(tt.name, "taken away") && reads%50_000 == 0 {
				now += 3 * tt.step
			}
			return now / tt.step * tt.step
		})
		if got != tt.want || reads > tt.most {
			t.Errorf("%s: a step of %v after %d readings, want %v after %d at most", tt.name, got, reads, tt.want, tt.most)
		}
	}
}

func TestTheClockOfThisMachineMoves(t *testing.T) {
	start := time.Now()
	step := ClockStep()
	if t.Logf("a step of %v, measured in %v", step, time.Since(start)); step <= 0 || step > time.Second {
		t.Errorf("a step of %v", step)
	}
}
