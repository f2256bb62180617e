package schedule_test

import (
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// ofChanges returns the whole schedule of a rate that changes.
func ofChanges(t *testing.T, c schedule.Changes, arrivals schedule.Arrivals, warmup time.Duration) schedule.Spec {
	t.Helper()
	legs, err := c.Legs()
	if err != nil {
		t.Fatal(err)
	}
	return schedule.Spec{
		Rate: 1, Arrivals: arrivals, Duration: warmup + c.Long(), Seed: 3, Course: schedule.NewCourse(warmup, legs),
	}
}

func ramp(t *testing.T, from, to schedule.Rate, long time.Duration) schedule.Changes {
	t.Helper()
	c, err := schedule.Ramp(from, to, long)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func steps(t *testing.T, legs ...schedule.Leg) schedule.Changes {
	t.Helper()
	c, err := schedule.Steps(legs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Message n of a ramp is due where the integral of the rate is n, rounded down to a
// nanosecond, with an error of less than a thousandth of one. The integrals are computed
// exactly, of every 41st message.
func TestARampIsDueWhereItsIntegralSays(t *testing.T) {
	for _, c := range []struct {
		from, to schedule.Rate
		long     time.Duration
	}{{1000, 20_000, time.Minute}, {20_000, 1000, time.Minute}, {1, 7, 13 * time.Second}, {0.1, 250_000, 4 * time.Second}, {333_333, 1, 3 * time.Second}, {1, 2, 10 * time.Hour}} {
		spec := ofChanges(t, ramp(t, c.from, c.to, c.long), "", 0)
		mean := (float64(c.from) + float64(c.to)) / 2 * c.long.Seconds()
		n := int64(0)
		for due := range spec.Offsets(schedule.Part{}) {
			if n++; n%41 != 1 {
				continue
			}
			if before, after, want := integral(c.from, c.to, c.long, due, -0.001), integral(c.from, c.to, c.long, due, 1.001), big.NewRat(n-1, 1); before.Cmp(want) > 0 || after.Cmp(want) <= 0 {
				t.Fatalf("ramp %v to %v: message %d is due at %d ns, where the integral is %s", c.from, c.to, n-1, due, before.FloatString(9))
			}
		}
		if want := int64(math.Ceil(mean)); n != want || spec.Count(schedule.Part{}) != int(want) {
			t.Errorf("ramp %v to %v: %d messages, Count %d, want %d", c.from, c.to, n, spec.Count(schedule.Part{}), want)
		}
	}
}

// integral returns the messages that a ramp has by an offset and some nanoseconds.
func integral(from, to schedule.Rate, long, due time.Duration, more float64) *big.Rat {
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	a, b := big.NewRat(from.Thousandths(), schedule.PerSecond), big.NewRat(to.Thousandths(), schedule.PerSecond)
	at := new(big.Rat).Mul(new(big.Rat).Add(big.NewRat(int64(due), 1), rat(more)), big.NewRat(1, 1e9))
	k := new(big.Rat).Quo(new(big.Rat).Sub(b, a), big.NewRat(int64(long), 1e9))
	k.Mul(k, at).Mul(k, at).Mul(k, big.NewRat(1, 2))
	return k.Add(k, a.Mul(a, at))
}

// Each step has exactly rate × time messages, at the times that a constant rate has.
func TestAStepHasRateTimesTime(t *testing.T) {
	const warmup = 2 * time.Second
	legs := []schedule.Leg{{From: 1000, To: 1000, For: 10 * time.Second}, {From: 5000, To: 5000, For: 20 * time.Second}, {From: 333, To: 333, For: 1500 * time.Millisecond}, {From: 1000, To: 1000, For: 30 * time.Second}}
	all := slices.Collect(ofChanges(t, steps(t, legs...), "", warmup).Offsets(schedule.Part{}))
	var want []time.Duration
	for from, l := time.Duration(0), append([]schedule.Leg{{From: 1000, To: 1000, For: warmup}}, legs...); len(l) > 0; l = l[1:] {
		for due := range (schedule.Spec{Rate: l[0].From, Duration: l[0].For}).Offsets(schedule.Part{}) {
			want = append(want, from+due)
		}
		from += l[0].For
	}
	if len(want) != 2000+10_000+100_000+500+30_000 || !slices.Equal(all, want) {
		t.Errorf("%d messages, want %d at the same times", len(all), len(want))
	}
}

// A trace's messages are due at exactly its times, the first and the last included.
func TestATraceIsDueAtItsTimes(t *testing.T) {
	due := []time.Duration{0, 0, 1, 500 * time.Millisecond, time.Second, 2*time.Second - 1}
	const warmup = time.Second
	spec := schedule.Spec{Rate: 3, Duration: warmup + 2*time.Second, Course: schedule.TraceCourse(warmup, 2, due, 2*time.Second)}
	want := []time.Duration{0, 500 * time.Millisecond}
	for _, d := range due {
		want = append(want, warmup+d)
	}
	if got := slices.Collect(spec.Offsets(schedule.Part{})); !slices.Equal(got, want) {
		t.Errorf("due at %v, want %v", got, want)
	}
	checkParts(t, spec, 3, len(want))
}

// Parts divide every course as they divide a constant rate, and counters agree with cursors.
func TestPartsOfACourse(t *testing.T) {
	for _, c := range []schedule.Changes{ramp(t, 10, 2000, 3*time.Second), ramp(t, 777, 3, 2*time.Second), steps(t, schedule.Leg{From: 100, To: 100, For: time.Second}, schedule.Leg{From: 999, To: 999, For: 1300 * time.Millisecond})} {
		for _, arrivals := range every() {
			spec := ofChanges(t, c, arrivals, 700*time.Millisecond)
			if arrivals != schedule.Poisson { // its parts draw for themselves
				checkParts(t, spec, 7, spec.Count(schedule.Part{}))
			}
			for i := range 3 {
				part := schedule.Part{Index: i, Of: 3}
				all, counter := slices.Collect(spec.Offsets(part)), spec.Counter(part)
				if !slices.IsSorted(all) {
					t.Errorf("%s, %s: not in order", c, arrivals)
				}
				for to := -time.Second; to < 5*time.Second; to += 123_456_789 {
					want, _ := slices.BinarySearch(all, to)
					if got := counter.Until(to); got != want {
						t.Errorf("%s, %q, part %d: %d messages are due by %v, want %d", c, arrivals, i, got, to, want)
					}
				}
			}
		}
	}
}

// Random arrivals follow the rate: each section of a ramp has its integral, ±4 standard errors.
func TestRandomArrivalsFollowACourse(t *testing.T) {
	c := ramp(t, 1000, 20_000, 20*time.Second)
	spec := ofChanges(t, c, schedule.Poisson, 0)
	counter, last := spec.Counter(schedule.Part{}), 0
	for _, s := range c.Sections() {
		until := counter.Until(s.To)
		want := float64(s.Mean()) * (s.To - s.From).Seconds()
		if got := float64(until - last); math.Abs(got-want) > 4*math.Sqrt(want) {
			t.Errorf("%v to %v: %.0f messages, want %.0f", s.From, s.To, got, want)
		}
		last = until
	}
}

func TestACourseDoesNotAllocate(t *testing.T) {
	for _, arrivals := range every() {
		cursor := ofChanges(t, ramp(t, 1000, 20_000, time.Minute), arrivals, 0).Cursor(schedule.Part{})
		if got := testing.AllocsPerRun(1000, func() { cursor.Next() }); got != 0 {
			t.Errorf("%s: Next allocates %v times", arrivals, got)
		}
	}
}

func TestSections(t *testing.T) {
	for _, tt := range []struct {
		c    schedule.Changes
		n    int
		want schedule.Section // the second
	}{
		{ramp(t, 1000, 20_000, time.Minute), 10, schedule.Section{From: 6 * time.Second, To: 12 * time.Second, Begin: 2900, End: 4800}},
		{ramp(t, 100, 200, 45*time.Second), 9, schedule.Section{From: 5 * time.Second, To: 10 * time.Second, Begin: schedule.RateOf(399999999 + 1), End: schedule.RateOf(439999999 + 1)}},
		{ramp(t, 100, 200, 2*time.Second), 2, schedule.Section{From: time.Second, To: 2 * time.Second, Begin: 150, End: 200}},
		{steps(t, schedule.Leg{From: 1, To: 1, For: time.Second}, schedule.Leg{From: 5, To: 5, For: 3 * time.Second}), 2, schedule.Section{From: time.Second, To: 4 * time.Second, Begin: 5, End: 5}},
		{"trace(a,b,1m0s)", 10, schedule.Section{From: 6 * time.Second, To: 12 * time.Second}},
	} {
		got := tt.c.Sections()
		if len(got) != tt.n || tt.n == 9 && (got[1].From != tt.want.From || got[1].To != tt.want.To) || tt.n != 9 && got[1] != tt.want {
			t.Errorf("%s: %+v", tt.c, got)
		}
		if last := got[len(got)-1].To; last != tt.c.Long() || tt.c.Validate() != nil {
			t.Errorf("%s ends at %v of %v: %v", tt.c, last, tt.c.Long(), tt.c.Validate())
		}
	}
}

func TestChangesThatCannotBe(t *testing.T) {
	for _, c := range []schedule.Changes{"ramp", "ramp(1..2)", "ramp(1..1,10s)", "ramp(1..2,1s)", "ramp(0..2,10s)", "ramp(1..2e10,10s)", "step(1@1s)", "step(1@1s,x@2s)", "step(1@1s,2@500ms)", "step(1@1s,0@2s)", "ramp(1..2,60s)", "trace(a,b)", "trace(a,b,0s)", "wave(1,2)"} {
		if err := c.Validate(); err == nil {
			t.Errorf("%s is valid", c)
		}
	}
}
