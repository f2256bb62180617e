package schedule_test

import (
	"math"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// The draws have the exact probabilities, by a chi-square test: with k degrees of freedom the statistic has
// mean k and variance 2k, and five standard deviations are one in a million.
func TestKeysAreDrawnWithTheirProbabilities(t *testing.T) {
	for _, k := range []schedule.Keys{{Count: 1}, {Count: 50}, {Count: 100, Zipf: 1.1}, {Count: 7, Zipf: 0.5, NullPPM: 100_000}, {Count: 1000, Zipf: 1}, {Count: 20, Zipf: 2.5, NullPPM: 990_000}} {
		const draws = 2_000_000
		deal, counts, null := k.Deal(42), make([]int, k.Count), 0
		for seq := range uint64(draws / 4) {
			for conn := range uint32(4) {
				if key := deal.Key(conn, seq); key < 0 {
					null++
				} else {
					counts[key]++
				}
			}
		}
		part, chi := float64(k.NullPPM)/1e6, 0.0
		if sd := math.Sqrt(draws * part * (1 - part)); math.Abs(float64(null)-draws*part) > 5*sd {
			t.Errorf("%v: %d of %d messages have no key", k, null, draws)
		}
		sum, rest, restWant := 0.0, 0.0, 0.0
		cells := 0
		for i, n := range counts {
			p := k.Probability(i)
			sum += p
			if want := p * float64(draws-null); want >= 10 {
				chi += (float64(n) - want) * (float64(n) - want) / want
				cells++
			} else {
				rest, restWant = rest+float64(n), restWant+want
			}
		}
		if restWant >= 10 {
			chi += (rest - restWant) * (rest - restWant) / restWant
			cells++
		}
		if free := float64(cells - 1); chi > free+5*math.Sqrt(2*free)+10 || math.Abs(sum-1) > 1e-9 {
			t.Errorf("%v: chi-square %.1f with %v degrees of freedom, probabilities add up to %v", k, chi, free, sum)
		}
	}
}

// Processes draw the same keys from the same seed, and other ones from another.
func TestKeysFollowFromTheSeed(t *testing.T) {
	k := schedule.Keys{Count: 1000, Zipf: 1.1, NullPPM: 1000}
	a, b, other, same := k.Deal(1), k.Deal(1), k.Deal(2), 0
	for seq := range uint64(1000) {
		if a.Key(3, seq) != b.Key(3, seq) {
			t.Fatalf("message %d has two keys", seq)
		}
		if a.Key(3, seq) == other.Key(3, seq) {
			same++
		}
	}
	if same > 200 {
		t.Errorf("%d of 1000 keys are the same with another seed", same)
	}
	if n := testing.AllocsPerRun(100, func() { a.Key(3, 7) }); n > 0 {
		t.Errorf("a draw makes %v allocations", n)
	}
	if (schedule.Keys{}).Deal(1).Len() != 0 {
		t.Error("no keys are some")
	}
}

func TestParseKeys(t *testing.T) {
	for text, want := range map[string]schedule.Keys{
		"none": {}, "10000": {Count: 10000}, "10000 zipf(1.1) null=10%": {Count: 10000, Zipf: 1.1, NullPPM: 100_000},
		"count:10000,skew:zipf(1.1),null:10%": {Count: 10000, Zipf: 1.1, NullPPM: 100_000}, "null:10 %,count:10,skew:zipf(2)": {Count: 10, Zipf: 2, NullPPM: 100_000}, "5 null=0.5%": {Count: 5, NullPPM: 5000},
	} {
		got, err := schedule.ParseKeys(text)
		if got != want || err != nil {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if again, err := schedule.ParseKeys(got.String()); again != want || err != nil {
			t.Errorf("%s was written as %s and read as %+v, %v", text, got, again, err)
		}
	}
	for text, want := range map[string]string{
		"0": "one key at least", "many": "such as 10000 zipf(1.1) null=10%", "1000001": "not between 1 and 1000000", "10 zipf(11)": "not between 0 and 10",
		"10 null=100%": "not below 100 %", "10 null=0%": "want a weight above 0 %", "10 skew(2)": "want a number of keys",
	} {
		if _, err := schedule.ParseKeys(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
