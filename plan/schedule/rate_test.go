package schedule_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// Every whole rate has the schedule that it had when rates were whole numbers of
// messages per second, to the nanosecond: message n at n·1s/rate, rounded down.
func TestWholeRatesAreDueAsEver(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	rates := []uint64{1, 2, 3, 7, 60, 997, 3000, 333_333, 1_000_000, 999_999_937, 1_000_000_000}
	for range 5_000 {
		rates = append(rates, 1+draw.Uint64N(1e9)>>draw.UintN(30))
	}
	for _, rate := range rates {
		for _, n := range []uint64{0, 1, 2, rate - 1, rate, rate + 1, draw.Uint64() >> draw.UintN(60), math.MaxUint64} {
			got, ok := schedule.Rate(rate).After(n)
			want, fits := before(n, rate)
			if ok != fits || ok && got != want {
				t.Fatalf("message %d at %d/s: %d ns, %v; it was %d ns, %v", n, rate, got, ok, want, fits)
			}
		}
		d := time.Duration(draw.Int64() >> draw.UintN(60))
		hi, lo := bits.Mul64(uint64(d), rate)
		want, rest := bits.Div64(hi, lo, uint64(time.Second))
		if rest > 0 {
			want++
		}
		if got := (schedule.Spec{Rate: schedule.Rate(rate), Duration: d}).Count(schedule.Part{}); got != int(want) {
			t.Fatalf("%d/s for %v: %d messages; it was %d", rate, d, got, want)
		}
	}
}

// before is the formula of whole rates.
func before(n, rate uint64) (due time.Duration, ok bool) {
	hi, lo := bits.Mul64(n, uint64(time.Second))
	if hi >= rate {
		return 0, false
	}
	q, _ := bits.Div64(hi, lo, rate)
	return time.Duration(q), q <= math.MaxInt64
}

// A rate is exactly what was written, up to the highest, and message n is due at
// n/rate, rounded down.
func TestRatesAreExact(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		units := schedule.PerHour + draw.Int64N(1e9*schedule.PerSecond-schedule.PerHour+1)>>draw.UintN(50)
		rate := schedule.RateOf(units)
		if got := rate.Thousandths(); got != units {
			t.Fatalf("%d thousandths are %v, which is %d", units, rate, got)
		}
		n := draw.Uint64() >> draw.UintN(64)
		want := new(big.Int).Mul(new(big.Int).SetUint64(n), big.NewInt(schedule.PerSecond*int64(time.Second)))
		want.Quo(want, big.NewInt(units))
		if got, ok := rate.After(n); ok != want.IsInt64() || ok && int64(got) != want.Int64() {
			t.Fatalf("message %d at %v: %d, %v; want %v", n, rate, got, ok, want)
		}
	}
}

func TestSlowSchedules(t *testing.T) {
	for _, tt := range []struct {
		rate schedule.Rate
		d    time.Duration
		want string
	}{
		{0.1, 25 * time.Second, "[0s 10s 20s]"},
		{schedule.RateOf(7 * schedule.PerMinute), 20 * time.Second, "[0s 8.571428571s 17.142857142s]"},
		{2.5, time.Second, "[0s 400ms 800ms]"},
		{schedule.RateOf(90 * schedule.PerHour), 2 * time.Minute, "[0s 40s 1m20s]"},
		{schedule.MinRate, 2 * time.Hour, "[0s 1h0m0s]"},
		{schedule.MinRate, time.Nanosecond, "[0s]"},
	} {
		got := slices.Collect(schedule.Spec{Rate: tt.rate, Duration: tt.d}.Offsets(schedule.Part{}))
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%v for %v: %v, want %s", tt.rate, tt.d, got, tt.want)
		}
	}
	year := schedule.Spec{Rate: schedule.RateOf(schedule.PerMinute), Duration: 365 * 24 * time.Hour} // 1/60 is no float
	last := time.Duration(0)
	for due := range year.Offsets(schedule.Part{}) {
		last = due
	}
	if want := year.Duration - time.Minute; last != want || year.Count(schedule.Part{}) != 365*24*60 {
		t.Errorf("the last of a year at 1/m is due at %v, want %v; %d messages", last, want, year.Count(schedule.Part{}))
	}
}

// The mean of n exponential gaps has a standard error of 1/√n of itself.
func TestSlowPoisson(t *testing.T) {
	const n = 10_000
	spec := schedule.Spec{Arrivals: schedule.Poisson, Rate: 0.1, Duration: n * 10 * time.Second, Seed: 1}
	if got := spec.Count(schedule.Part{}); got < n-400 || got > n+400 {
		t.Errorf("%d messages, want about %d", got, n)
	}
}

func TestRatesAreWritten(t *testing.T) {
	for rate, want := range map[schedule.Rate]string{
		3000: "3000/s", 1e9: "1000000000/s", 333_333: "333333/s", 0.1: "0.1/s", 2.5: "2.5/s", 0.025: "0.025/s", 1234.56789: "1234.56789/s",
		1.0 / 60: "1/m", 7.0 / 60: "7/m", 1e3 / 60: "1000/m", 1.0 / 3: "20/m", 1.0 / 3600: "1/h", 1.5 / 60 / 60: "1.5/h", 1.001 / 3600: "1.001/h",
		0: "0/s", -1: "-1/s", 2e9: "2000000000/s", 1e300: "1e+300/s", 1e-300: "1e-300/s", schedule.Rate(math.Inf(1)): "+Inf/s",
	} {
		if got := rate.String(); got != want {
			t.Errorf("%g is %q, want %q", float64(rate), got, want)
		}
	}
	if got := schedule.Rate(math.NaN()).String(); got != "NaN/s" {
		t.Errorf("NaN is %q", got)
	}
	if a, b := schedule.Rate(3000).Column(), schedule.RateOf(schedule.PerMinute).Column(); a != "3000" || b != "1/m" {
		t.Errorf("columns have %q and %q", a, b)
	}
}

func TestRatesThatNothingCanFollow(t *testing.T) {
	for _, rate := range []float64{0, -1, -1e300, 0.99 / 3600, 1e-300, 1e9 + 1e-6, 1e19, 1e300, math.Inf(1), math.Inf(-1), math.NaN()} {
		r := schedule.Rate(rate)
		due, ok := r.After(1)
		if err := (schedule.Spec{Rate: r, Duration: 1}).Validate(); err == nil || r.Thousandths() != 0 || ok {
			t.Errorf("%v: Validate %v, %d thousandths, message 1 at %v, %v", r, err, r.Thousandths(), due, ok)
		}
	}
}

// Whole rates are in files as they always were, and files with them are read.
func TestRatesInFiles(t *testing.T) {
	for rate, want := range map[schedule.Rate]string{3000: "3000", 1e9: "1000000000", 0.1: "0.1", 1.0 / 3600: "0.0002777777777777778"} {
		text, err := json.Marshal(rate)
		if err != nil || string(text) != want {
			t.Errorf("%v is %s, %v; want %s", rate, text, err, want)
		}
		var read schedule.Rate
		if err := json.Unmarshal(text, &read); err != nil || read != rate {
			t.Errorf("%s is read as %v, %v", text, read, err)
		}
	}
}

func ExampleRate() {
	for _, rate := range []schedule.Rate{3000, 0.1, schedule.RateOf(7 * schedule.PerMinute)} {
		due, _ := rate.After(2)
		fmt.Println(rate, due)
	}
	// Output:
	// 3000/s 666.666µs
	// 0.1/s 20s
	// 7/m 17.142857142s
}
