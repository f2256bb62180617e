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

// The rate that bench divides by integers: 333,333/s over 7 connections.
func TestConstantSharesAddUpExactly(t *testing.T) {
	spec := schedule.Spec{Rate: 333_333, Duration: 60 * time.Second}
	want := 333_333 * 60
	total := 0
	for conn := range 7 {
		share := schedule.Share{Index: conn, Of: 7}
		walked := 0
		for range spec.Offsets(share) {
			walked++
		}
		if counted := spec.Count(share); counted != walked {
			t.Errorf("share %d: Count = %d, but it yields %d", conn, counted, walked)
		}
		total += walked
	}
	if total != want || spec.Count(schedule.Share{}) != want {
		t.Errorf("7 shares yield %d ops, the whole counts %d; want %d", total, spec.Count(schedule.Share{}), want)
	}
}

func TestConstantDoesNotDrift(t *testing.T) {
	const rate, ops = 333_333, 1_000_000
	spec := schedule.Spec{Rate: rate, Duration: time.Minute}
	i := 0
	for due := range spec.Offsets(schedule.Share{}) {
		if want := time.Duration(i * int(time.Second) / rate); due != want {
			t.Fatalf("op %d is due at %d ns, want %d", i, due, want)
		}
		if i++; i > ops {
			return
		}
	}
	t.Fatalf("only %d ops", i)
}

func TestSharesInterleaveEvenly(t *testing.T) {
	spec := schedule.Spec{Rate: 10, Duration: time.Second}
	var got []time.Duration
	for conn := range 3 {
		got = append(got, slices.Collect(spec.Offsets(schedule.Share{Index: conn, Of: 3}))...)
	}
	slices.Sort(got)
	if want := slices.Collect(spec.Offsets(schedule.Share{})); !slices.Equal(got, want) {
		t.Errorf("shares together %v, want %v", got, want)
	}
}

func TestSplitOverMachinesAndConnections(t *testing.T) {
	seen := map[schedule.Share]bool{}
	spec := schedule.Spec{Rate: 1000, Duration: time.Second}
	total := 0
	for machine := range 3 {
		for conn := range 4 {
			share := schedule.Share{}.Split(machine, 3).Split(conn, 4)
			if share.Of != 12 || seen[share] {
				t.Errorf("machine %d, connection %d: share %+v", machine, conn, share)
			}
			seen[share] = true
			total += spec.Count(share)
		}
	}
	if total != 1000 {
		t.Errorf("all shares count %d ops, want 1000", total)
	}
}

func TestSubSecondDurationSends(t *testing.T) {
	tests := []struct {
		rate int
		d    time.Duration
		want int
	}{
		{10, 250 * time.Millisecond, 3},
		{1, time.Nanosecond, 1},
		{3, time.Second, 3},
		{7, 1500 * time.Millisecond, 11},
		{1_000_000_000, 10 * time.Nanosecond, 10},
	}
	for _, tt := range tests {
		spec := schedule.Spec{Rate: tt.rate, Duration: tt.d}
		if got := len(slices.Collect(spec.Offsets(schedule.Share{}))); got != tt.want || spec.Count(schedule.Share{}) != tt.want {
			t.Errorf("%d/s for %v: %d ops, Count %d; want %d", tt.rate, tt.d, got, spec.Count(schedule.Share{}), tt.want)
		}
	}
}

// The mean of n exponential gaps has a standard error of 1/√n of itself, and
// their coefficient of variation is 1.
func TestPoissonGaps(t *testing.T) {
	spec := schedule.Spec{Arrivals: schedule.Poisson, Rate: 1000, Duration: 400 * time.Second, Seed: 7}
	for _, of := range []int{1, 4} {
		var n, sum, squares float64
		last := time.Duration(0)
		for due := range spec.Offsets(schedule.Share{Index: 0, Of: of}) {
			gap := (due - last).Seconds()
			last = due
			n, sum, squares = n+1, sum+gap, squares+gap*gap
		}
		mean := sum / n
		cv := math.Sqrt(squares/n-mean*mean) / mean
		if want := float64(of) / 1000; math.Abs(mean/want-1) > 4/math.Sqrt(n) || math.Abs(cv-1) > 0.02 {
			t.Errorf("share of %d: mean gap %.6f s (want %.6f), variation %.3f (want 1)", of, mean, want, cv)
		}
	}
}

func TestPoissonIsReproducible(t *testing.T) {
	spec := schedule.Spec{Arrivals: schedule.Poisson, Rate: 100, Duration: 10 * time.Second, Seed: 1}
	first := slices.Collect(spec.Offsets(schedule.Share{Index: 1, Of: 2}))
	if again := slices.Collect(spec.Offsets(schedule.Share{Index: 1, Of: 2})); !slices.Equal(first, again) {
		t.Error("the same share differs from itself")
	}
	if other := slices.Collect(spec.Offsets(schedule.Share{Index: 0, Of: 2})); slices.Equal(first, other) {
		t.Error("two shares draw the same")
	}
	if !slices.IsSorted(first) || spec.Count(schedule.Share{Index: 1, Of: 2}) != len(first) {
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
		cursor := schedule.Spec{Arrivals: arrivals, Rate: 1000, Duration: time.Hour}.Cursor(schedule.Share{})
		if got := testing.AllocsPerRun(1000, func() { cursor.Next() }); got != 0 {
			t.Errorf("%s: Next allocates %v times", arrivals, got)
		}
	}
}

func BenchmarkCursor(b *testing.B) {
	for _, arrivals := range every() {
		b.Run(string(arrivals), func(b *testing.B) {
			b.ReportAllocs()
			cursor := schedule.Spec{Arrivals: arrivals, Rate: 20_000, Duration: 1 << 62}.Cursor(schedule.Share{Index: 3, Of: 25})
			for b.Loop() {
				cursor.Next()
			}
		})
	}
}

func ExampleSpec_Offsets() {
	spec := schedule.Spec{Rate: 3, Duration: 2 * time.Second}
	for due := range spec.Offsets(schedule.Share{Index: 0, Of: 2}) {
		fmt.Println(due)
	}
	// Output:
	// 0s
	// 666.666666ms
	// 1.333333333s
}
