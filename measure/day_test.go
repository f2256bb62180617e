//go:build unix

package measure

import (
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/histogram"
)

// The work of each second does not grow with the length of a cell: with
// BROKERBENCH_DAY=1 a cell of 24 hours, else of one. What is asserted is the garbage,
// which does not depend on the machine; the CPU time is printed, and is a row of `make
// bench`.
func TestALongCellCostsEachSecondWhatAShortOneDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("works for an hour of seconds")
	}
	length := time.Hour
	if os.Getenv("BROKERBENCH_DAY") == "1" {
		length = 24 * time.Hour
	}
	folder := newFolder(t, newStore(t), "cell")
	synctest.Test(t, func(t *testing.T) {
		o := Options{Folder: folder, Observer: &observer{at: 2 * length}, Progress: func(Progress) {}}
		in, err := newIntervals(o, cellOf(20_000, length), surroundings{})
		if err != nil {
			t.Fatal(err)
		}
		in.log.begin(time.Now())
		seconds := func(from, to time.Duration) (cpu time.Duration, garbage float64) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for at := from; at < to; at += period {
				recordSome(in)
				start := cpuTime()
				in.step(at+period, true)
				cpu += cpuTime() - start
			}
			runtime.ReadMemStats(&after)
			n := (to - from) / period
			return cpu / n, float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
		}
		seconds(0, time.Minute)
		early, earlyGarbage := seconds(time.Minute, 11*time.Minute)
		seconds(11*time.Minute, length-10*time.Minute)
		late, lateGarbage := seconds(length-10*time.Minute, length)
		t.Logf("CPU of a second's work: %v at first, %v after %v: late/early %.3f", early, late, length, float64(late)/float64(early))
		t.Logf("garbage of it: %.0f B at first, %.0f B after %v", earlyGarbage, lateGarbage, length)
		if lateGarbage > 1.2*earlyGarbage+4096 {
			t.Errorf("%.0f B of garbage a second after %v, %.0f B at first", lateGarbage, length, earlyGarbage)
		}
		if err := in.close(); err != nil {
			t.Error(err)
		}
	})
}

// recordSome records what a few connections would in a second.
func recordSome(in *intervals) {
	for conn := range 500 {
		d := time.Duration(math.Exp(rand.NormFloat64()) * float64(ms))
		samples := [4]histogram.Sample{{Series: response, Value: d}, {Series: service, Value: d}, {Series: lag, Value: d / 100}, {Series: held, Value: d / 50}}
		in.recording.recorder.Recorder.Record(conn, samples[:])
	}
}

// cpuTime is real also in virtual time.
func cpuTime() time.Duration {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
