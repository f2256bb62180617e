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
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/results"
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
	store := newStore(t)
	synctest.Test(t, func(t *testing.T) {
		old := startLong(t, store, "old", length)
		old.work(length - 10*time.Minute)
		young := startLong(t, store, "young", length)
		young.work(time.Minute)
		const blocks = 10 // alternated: what else the machine does is in both
		for range blocks {
			young.work(time.Minute)
			old.work(time.Minute)
		}
		early, late := young.of(blocks), old.of(blocks)
		t.Logf("CPU of a second's work: %v in the first minutes, %v after %v: late/early %.3f", early.cpu, late.cpu, length, float64(late.cpu)/float64(early.cpu))
		t.Logf("garbage of it: %.0f B in the first minutes, %.0f B after %v", early.garbage, late.garbage, length)
		if late.garbage > 1.2*early.garbage+4096 {
			t.Errorf("%.0f B of garbage a second after %v, %.0f B at first", late.garbage, length, early.garbage)
		}
	})
}

// What a cell keeps in memory does not grow with its length: not once each kind of work was
// done for some minutes.
func TestALongCellKeepsNoMoreThanAShortOne(t *testing.T) {
	if testing.Short() {
		t.Skip("works for an hour of seconds")
	}
	store := newStore(t)
	synctest.Test(t, func(t *testing.T) {
		cell := startLong(t, store, "long", 2*time.Hour)
		cell.work(2 * time.Minute)
		early := liveHeap()
		cell.work(time.Hour)
		late := liveHeap()
		t.Logf("%d kB live after 2 minutes, %d kB an hour later", early/1000, late/1000)
		if late > early+512_000 {
			t.Errorf("%d kB live after 2 minutes, %d kB an hour later", early/1000, late/1000)
		}
	})
}

// liveHeap returns the bytes that are reachable.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC() // what the first one had to finalize
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A longCell is a cell whose seconds are worked off by hand.
type longCell struct {
	in   *intervals
	at   time.Duration
	cost []cost // of each call of work
}

// cost is that of the work of one second.
type cost struct {
	cpu     time.Duration
	garbage float64 // bytes
}

func startLong(t *testing.T, store *results.Store, id string, length time.Duration) *longCell {
	t.Helper()
	o := Options{Folder: newFolder(t, store, id), Observer: &observer{at: 2 * length}, Progress: func(Progress) {}}
	in, err := openIntervals(o, cellOf(20_000, length))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.close(); err != nil {
			t.Error(err)
		}
	})
	in.log.Begin(time.Now())
	return &longCell{in: in}
}

// work works off the seconds of so much time.
func (l *longCell) work(length time.Duration) {
	var sum cost
	n := int(length / period)
	for range n {
		recordSome(l.in)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := cpuTime()
		l.in.step(l.at+period, true)
		sum.cpu += cpuTime() - start
		runtime.ReadMemStats(&after)
		sum.garbage += float64(after.TotalAlloc - before.TotalAlloc)
		l.at += period
	}
	l.cost = append(l.cost, cost{sum.cpu / time.Duration(n), sum.garbage / float64(n)})
}

// of returns the medians of the last n calls of work.
func (l *longCell) of(n int) cost {
	var cpu, garbage []float64
	for _, c := range l.cost[len(l.cost)-n:] {
		cpu, garbage = append(cpu, float64(c.cpu)), append(garbage, c.garbage)
	}
	return cost{time.Duration(stats.Median(cpu)), stats.Median(garbage)}
}

// recordSome records what a few connections would in a second, and a hiccup.
func recordSome(in *intervals) {
	for conn := range 500 {
		d := time.Duration(math.Exp(rand.NormFloat64()) * float64(ms))
		samples := [4]histogram.Sample{{Series: record.Response, Value: d}, {Series: record.Service, Value: d}, {Series: record.Lag, Value: d / 100}, {Series: record.Held, Value: d / 50}}
		in.recording.recorder.Recorder.Record(conn, samples[:])
	}
	hiccup := [1]histogram.Sample{{Value: time.Duration(math.Exp(2*rand.NormFloat64()) * float64(ms))}}
	in.observed.recorder.Record(0, hiccup[:])
}

// cpuTime is real also in virtual time.
func cpuTime() time.Duration {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
