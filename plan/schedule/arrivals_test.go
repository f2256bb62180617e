package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

func TestParseArrivals(t *testing.T) {
	tests := map[string]string{ // what the error says; "" for none
		"constant": "", "poisson": "", "burst:2": "", "burst:10": "", "burst:1000000": "",
		"": "want constant, poisson or burst:N", "Constant": "want constant, poisson or burst:N", "bursts:10": "want constant, ",
		"burst": "number of messages is missing", "burst:": "number of messages is missing", "burst:x": "is not a whole number",
		"burst:1.5": "is not a whole number", "burst: 5": "is not a whole number", "burst:10 ": "is not a whole number", "burst:1e3": "is not a whole number",
		"burst:0": "a burst has 2 to 1000000 messages", "burst:1": "2 to 1000000", "burst:-3": "2 to 1000000", "burst:1000001": "2 to 1000000",
		"burst:99999999999999999999": "2 to 1000000", "burst:010": "write it as burst:10", "burst:+10": "write it as burst:10",
	}
	for text, says := range tests {
		got, err := schedule.ParseArrivals(text)
		switch {
		case says == "" && (err != nil || string(got) != text):
			t.Errorf("%q is %q, %v", text, got, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says)):
			t.Errorf("%q: %v, want it to say %q", text, err, says)
		}
		if text != "" {
			spec := schedule.Spec{Rate: 1, Duration: 1, Arrivals: schedule.Arrivals(text)}
			if valid := spec.Validate() == nil; valid != (says == "") {
				t.Errorf("a spec with %q is valid: %v", text, valid)
			}
		}
	}
}

// FuzzParseArrivals checks that what is taken makes a schedule.
func FuzzParseArrivals(f *testing.F) {
	for _, text := range []string{"constant", "poisson", "burst:10", "burst:", "burst:x", "burst:1000001"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := schedule.ParseArrivals(text)
		if err != nil {
			return
		}
		spec := schedule.Spec{Arrivals: a, Rate: 100, Duration: time.Second, Seed: 1}
		walked := len(slices.Collect(spec.Offsets(schedule.Part{})))
		if err := spec.Validate(); err != nil || string(a) != text || spec.Count(schedule.Part{}) != walked {
			t.Fatalf("%q is %q, %v; Count %d, walked %d", text, a, err, spec.Count(schedule.Part{}), walked)
		}
	})
}

// Rates that bursts do not divide, the rate that bench divides by integers, and
// runs of less than a second. A burst of 0 is constant.
func TestSharesAddUpExactly(t *testing.T) {
	for _, tt := range []struct {
		rate      schedule.Rate
		burst, of int
		d         time.Duration
		want      int
	}{
		{333_333, 0, 7, 6 * time.Second, 333_333 * 6},
		{10, 0, 3, time.Second, 10},
		{10, 0, 1, 250 * time.Millisecond, 3},
		{1, 0, 1, time.Nanosecond, 1},
		{3, 0, 1, time.Second, 3},
		{7, 0, 1, 1500 * time.Millisecond, 11},
		{1_000_000_000, 0, 1, 10 * time.Nanosecond, 10},
		{333_333, 10, 7, 3 * time.Second, 1_000_000}, // 999,999, and the last burst is whole
		{1000, 10, 4, time.Second, 1000},
		{1000, 3, 5, time.Second, 1002},
		{7, 1000, 3, time.Second, 1000},
		{1, 2, 1, time.Nanosecond, 2},
		{0.1, 0, 3, 25 * time.Second, 3},
		{0.1, 0, 2, 20 * time.Second, 2}, // the third is due at the end, which does not belong to it
		{schedule.MinRate, 0, 2, 2*time.Hour + 1, 3},
		{schedule.RateOf(7 * schedule.PerMinute), 2, 3, time.Minute, 8},
		{1_000_000_000, 1_000_000, 25, 1500 * time.Microsecond, 2_000_000},
	} {
		spec := schedule.Spec{Rate: tt.rate, Duration: tt.d}
		if tt.burst > 0 {
			spec.Arrivals = schedule.Burst(tt.burst)
		}
		checkParts(t, spec, tt.of, tt.want)
	}
}

func TestRandomBurstSharesAddUpExactly(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		rate, burst, of := 1+draw.IntN(50_000), 2+draw.IntN(5000), 1+draw.IntN(40)
		d := time.Duration(1 + draw.Int64N(int64(time.Second)))
		ops := (int64(d)*int64(rate) + int64(time.Second) - 1) / int64(time.Second) // before the end, at this rate
		bursts := (int(ops) + burst - 1) / burst
		checkParts(t, schedule.Spec{Arrivals: schedule.Burst(burst), Rate: schedule.Rate(rate), Duration: d}, of, bursts*burst)
	}
}

// checkParts wants the parts of a schedule to be the whole, op n in part n mod
// of, each counted as it is walked.
func checkParts(t *testing.T, spec schedule.Spec, of, want int) {
	t.Helper()
	whole := slices.Collect(spec.Offsets(schedule.Part{}))
	if len(whole) != want || spec.Count(schedule.Part{}) != want {
		t.Errorf("%+v: %d ops, Count %d; want %d", spec, len(whole), spec.Count(schedule.Part{}), want)
	}
	for index := range of {
		n := index
		for due := range spec.Offsets(schedule.Part{Index: index, Of: of}) {
			if n >= len(whole) || due != whole[n] {
				t.Fatalf("%+v: op %d, of part %d of %d, is due at %v", spec, n, index, of, due)
			}
			n += of
		}
		if n < len(whole) {
			t.Fatalf("%+v: part %d of %d ends before op %d of %d", spec, index, of, n, len(whole))
		}
		part := schedule.Part{Index: index, Of: of}
		if walked := (n - index) / of; spec.Count(part) != walked {
			t.Errorf("%+v: part %+v counts %d, it yields %d", spec, part, spec.Count(part), walked)
		}
	}
}

// Repeats of a cell draw with seeds that follow each other: their gaps must be as
// independent as those of any two seeds. The correlation of n independent pairs
// has a standard error of 1/√n.
func TestSeedsThatFollowEachOtherDrawIndependently(t *testing.T) {
	const n = 100_000
	for seed := range uint64(4) {
		a, b := gaps(seed, 1, n), gaps(seed+1, 1, n)
		if r := correlation(a, b); r > 4/316.0 || r < -4/316.0 {
			t.Errorf("seeds %d and %d: correlation %.4f", seed, seed+1, r)
		}
	}
}

// gaps returns n gaps of one part of a Poisson schedule, in means.
func gaps(seed uint64, of, n int) (list []float64) {
	spec := schedule.Spec{Arrivals: schedule.Poisson, Rate: 1000, Duration: 1 << 62, Seed: seed}
	last := time.Duration(0)
	for due := range spec.Offsets(schedule.Part{Of: of}) {
		list = append(list, (due-last).Seconds()*1000/float64(of))
		if last = due; len(list) == n {
			break
		}
	}
	return list
}

// correlation is that of two series whose mean and deviation are 1.
func correlation(a, b []float64) (r float64) {
	for i := range a {
		r += (a[i] - 1) * (b[i] - 1)
	}
	return r / float64(len(a))
}

func ExampleBurst() {
	spec := schedule.Spec{Arrivals: schedule.Burst(3), Rate: 6, Duration: time.Second}
	for due := range spec.Offsets(schedule.Part{}) {
		fmt.Println(spec.Arrivals, due)
	}
	// Output:
	// burst:3 0s
	// burst:3 0s
	// burst:3 0s
	// burst:3 500ms
	// burst:3 500ms
	// burst:3 500ms
}
