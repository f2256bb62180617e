package schedule_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// The n-th burst of N is due at n·N/rate to the nanosecond, also after a million ops.
func TestSchedulesDoNotDrift(t *testing.T) {
	const rate, ops = 333_333, 1_000_000
	for _, burst := range []int{1, 10} {
		spec := schedule.Spec{Rate: rate, Duration: 4 * time.Second}
		if burst > 1 {
			spec.Arrivals = schedule.Burst(burst)
		}
		i := 0
		for due := range spec.Offsets(schedule.Part{}) {
			if want := time.Duration(i / burst * burst * int(time.Second) / rate); due != want {
				t.Fatalf("bursts of %d: op %d is due at %d ns, want %d", burst, i, due, want)
			}
			i++
		}
		if i < ops {
			t.Errorf("bursts of %d: only %d ops", burst, i)
		}
	}
}

func TestSplitOverMachinesAndConnections(t *testing.T) {
	seen := map[schedule.Part]bool{}
	spec := schedule.Spec{Rate: 1000, Duration: time.Second}
	total := 0
	for machine := range 3 {
		for conn := range 4 {
			part := schedule.Part{}.Split(machine, 3).Split(conn, 4)
			if part.Of != 12 || seen[part] {
				t.Errorf("machine %d, connection %d: part %+v", machine, conn, part)
			}
			seen[part] = true
			total += spec.Count(part)
		}
	}
	if total != 1000 {
		t.Errorf("all parts count %d ops, want 1000", total)
	}
}

// The mean of n exponential gaps has a standard error of 1/√n of itself, and
// their coefficient of variation is 1.
func TestPoissonGaps(t *testing.T) {
	for _, of := range []int{1, 4} {
		n := 400_000 / of
		var sum, squares float64
		for _, gap := range gaps(7, of, n) {
			sum, squares = sum+gap, squares+gap*gap
		}
		mean := sum / float64(n)
		cv := math.Sqrt(squares/float64(n)-mean*mean) / mean
		if math.Abs(mean-1) > 4/math.Sqrt(float64(n)) || math.Abs(cv-1) > 0.02 {
			t.Errorf("part of %d: mean gap %.6f of what it should be, variation %.3f (want 1)", of, mean, cv)
		}
	}
}

func TestPoissonIsReproducible(t *testing.T) {
	spec := schedule.Spec{Arrivals: schedule.Poisson, Rate: 100, Duration: 10 * time.Second, Seed: 1}
	first := slices.Collect(spec.Offsets(schedule.Part{Index: 1, Of: 2}))
	if again := slices.Collect(spec.Offsets(schedule.Part{Index: 1, Of: 2})); !slices.Equal(first, again) {
		t.Error("the same part differs from itself")
	}
	if other := slices.Collect(spec.Offsets(schedule.Part{Index: 0, Of: 2})); slices.Equal(first, other) {
		t.Error("two parts draw the same")
	}
	if !slices.IsSorted(first) || spec.Count(schedule.Part{Index: 1, Of: 2}) != len(first) {
		t.Error("not in order, or miscounted")
	}
}

func TestValidate(t *testing.T) {
	if err := (schedule.Spec{Rate: 1, Duration: 1}).Validate(); err != nil {
		t.Errorf("a valid spec: %v", err)
	}
	err := schedule.Spec{Rate: 0, Duration: -1, Arrivals: "never"}.Validate()
	for _, want := range []string{"rate 0/s", "duration -1ns", `arrivals "never": want constant, poisson or burst:N`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate = %v, want it to name %s", err, want)
		}
	}
}

// every returns arrivals of each kind.
func every() []schedule.Arrivals {
	return []schedule.Arrivals{schedule.Constant, schedule.Poisson, schedule.Burst(10)}
}

func TestTheZeroCursorIsAtTheEnd(t *testing.T) {
	var c schedule.Cursor
	if due, ok := c.Next(); ok {
		t.Errorf("an op is due at %v", due)
	}
}

func TestCursorDoesNotAllocate(t *testing.T) {
	for _, arrivals := range every() {
		cursor := schedule.Spec{Arrivals: arrivals, Rate: 1000, Duration: time.Hour}.Cursor(schedule.Part{})
		if got := testing.AllocsPerRun(1000, func() { cursor.Next() }); got != 0 {
			t.Errorf("%s: Next allocates %v times", arrivals, got)
		}
	}
}

func BenchmarkCursor(b *testing.B) {
	for _, arrivals := range every() {
		b.Run(string(arrivals), func(b *testing.B) {
			b.ReportAllocs()
			cursor := schedule.Spec{Arrivals: arrivals, Rate: 20_000, Duration: 1 << 62}.Cursor(schedule.Part{Index: 3, Of: 25})
			for b.Loop() {
				cursor.Next()
			}
		})
	}
}

func ExampleSpec_Offsets() {
	spec := schedule.Spec{Rate: 3, Duration: 2 * time.Second}
	for due := range spec.Offsets(schedule.Part{Index: 0, Of: 2}) {
		fmt.Println(due)
	}
	// Output:
	// 0s
	// 666.666666ms
	// 1.333333333s
}
