package schedule_test

import (
	"math"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

const ninety = schedule.Sizes("256B:90%,65536B:10%")

func TestSizesAreWrittenInOneWay(t *testing.T) {
	got, err := schedule.NewSizes([]schedule.SizeClass{{65536, 100_000}, {256, 900_000}})
	if err != nil || got != ninety {
		t.Errorf("%q, %v", got, err)
	}
	want := []schedule.SizeClass{{256, 900_000}, {65536, 100_000}}
	if classes := got.Classes(); !slices.Equal(classes, want) {
		t.Errorf("%v, want %v", classes, want)
	}
	if err := schedule.Sizes("16B:0.0001%,32B:99.9999%").Validate(); err != nil {
		t.Error(err)
	}
}

func TestSizesThatAreRefused(t *testing.T) {
	for _, s := range []schedule.Sizes{
		"256B", "256B:100%", "256B:90%,65536B:9%", "256B:90%,65536B:11%", "65536B:10%,256B:90%", "256B:50%,256B:50%",
		"256B:90%,64KiB:10%", "256B:0%,512B:100%", "256B:50.00001%,512B:49.99999%", "256B:90%,65536B:10%,",
		"1B:10%,2B:10%,3B:10%,4B:10%,5B:10%,6B:10%,7B:10%,8B:10%,9B:20%",
	} {
		if s.Validate() == nil {
			t.Errorf("%q is valid", s)
		}
	}
}

func TestParseShare(t *testing.T) {
	for text, want := range map[string]int64{"90": 900_000, "0.5": 5000, "33.3333": 333_333, "0.0001": 1, "100": 1_000_000} {
		if got, err := schedule.ParseShare(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "100.1", "-1", "1.23456", "1.-5", "x"} {
		if got, err := schedule.ParseShare(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

// Each weight is met within four standard deviations, on every connection and with every seed.
func TestAMixMeetsItsWeights(t *testing.T) {
	const n = 100_000
	for _, seed := range []uint64{0, 1, 1 << 63} {
		for conn := range uint32(4) {
			counts := ninety.Mix(seed).Count(conn, 0, n)
			if off := math.Abs(float64(counts[1]) - n/10); off > 4*math.Sqrt(n*0.1*0.9) || counts[0]+counts[1] != n {
				t.Errorf("seed %d, connection %d: %v of %d", seed, conn, counts, n)
			}
		}
	}
}

// Seeds, connections and sequences draw independently: two draws agree in 82 % of the messages.
func TestAMixDrawsIndependently(t *testing.T) {
	const n = 100_000
	one := ninety.Mix(1)
	for name, other := range map[string]func(seq uint64) int{
		"another seed":       func(seq uint64) int { return ninety.Mix(2).Class(0, seq) },
		"another connection": func(seq uint64) int { return one.Class(1, seq) },
		"the next message":   func(seq uint64) int { return one.Class(0, seq+1) },
	} {
		same := 0.
		for seq := range uint64(n) {
			if one.Class(0, seq) == other(seq) {
				same++
			}
		}
		if math.Abs(same/n-0.82) > 0.01 {
			t.Errorf("%s draws the same size for %.1f %%", name, 100*same/n)
		}
	}
}

func TestAMixOfEqualSeedsIsTheSame(t *testing.T) {
	a, b := ninety.Mix(7), ninety.Mix(7)
	for seq := range uint64(1000) {
		if a.Bytes(3, seq) != b.Bytes(3, seq) {
			t.Fatalf("message %d has %d and %d B", seq, a.Bytes(3, seq), b.Bytes(3, seq))
		}
	}
	if n := testing.AllocsPerRun(100, func() { a.Class(3, 5) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
