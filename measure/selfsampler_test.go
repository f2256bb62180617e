package measure

import (
	"context"
	"math"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/results"
)

// observer reports one hiccup at a given time, and a hundredth of a core more in each sample.
type observer struct {
	at, hiccup time.Duration
	samples    float64
	observing  atomic.Int32
}

func (o *observer) ObserveHiccups(record func(time.Duration)) func() {
	o.observing.Add(1)
	timer := time.AfterFunc(o.at, func() { record(o.hiccup) })
	return func() {
		timer.Stop()
		o.observing.Add(-1)
	}
}

func (o *observer) Sample(func()) results.Usage {
	o.samples++
	return results.Usage{
		Process: results.ProcessUsage{CPUCores: o.samples / 100}, Machine: &results.MachineUsage{CPUs: 64, BusyCores: o.samples / 50},
	}
}

// frozen stands still for a second from 6.2 s on.
var frozen = loopback.Config{Delay: ms, Freezes: []loopback.Freeze{{At: 6200 * ms, For: time.Second}}}

// A hiccup is counted with the responses of its interval if it is half as long. One
// second is no evidence: nothing is blamed.
func TestHiccupsAreCountedBesideResponses(t *testing.T) {
	for _, tt := range []struct {
		name       string
		at, hiccup time.Duration
		with       int
	}{
		{"at the same time", 7200 * ms, 600 * ms, 1},
		{"too short", 7200 * ms, 400 * ms, 0},
		{"at another time", 3500 * ms, 900 * ms, 1},
	} {
		o := &observer{at: tt.at, hiccup: tt.hiccup}
		c := virtual(t, frozen, cellOf(1000, 10*time.Second), Options{Observer: o})
		if c.Tail == nil || c.Tail.Intervals != 10 || c.Tail.WithHiccup != tt.with || c.Tail.Ordinary != 0 {
			t.Errorf("%s: %+v; want %d of 10 with a hiccup: too few to compare them", tt.name, c.Tail, tt.with)
		}
		if p, found := c.Problem(results.CodeHiccups); found { // one second is no evidence
			t.Errorf("%s: %+v", tt.name, p)
		}
		if c.Hiccup.Count != 1 || c.Hiccup.MaxNS != int64(tt.hiccup) || c.Tail.LargestHiccupNS != int64(tt.hiccup) {
			t.Errorf("%s: hiccups %+v, largest %d", tt.name, c.Hiccup, c.Tail.LargestHiccupNS)
		}
		if n := o.observing.Load(); n != 0 {
			t.Errorf("%s: still observing (%d)", tt.name, n)
		}
	}
}

// Of the warm-up's second the cell's summary knows nothing, the files do.
func TestUsageIsOfTheWindow(t *testing.T) {
	store := newStore(t)
	folder := newFolder(t, store, "cell")
	c := virtual(t, loopback.Config{Delay: ms}, cellOf(1000, 3*time.Second), Options{Observer: &observer{at: 500 * ms, hiccup: 2 * ms}, Folder: folder})
	if c.Hiccup.Count != 0 {
		t.Errorf("%d hiccups, want that of the warm-up left out", c.Hiccup.Count)
	}
	usage, err := folder.ReadUsage()
	if err != nil || len(usage) < 4 {
		t.Fatalf("%d intervals, %v; want 4 at least", len(usage), err)
	}
	// The first sample is that of the start, which begins the count.
	if u := usage[0]; u.FromNS != 0 || u.ToNS != int64(time.Second) || u.Process.CPUCores != 0.02 || u.HiccupMaxNS != int64(2*ms) {
		t.Errorf("the first interval: %+v", u)
	}
	if off := c.Usage.Process.CPUCores - 0.04; math.Abs(off) > 1e-9 || c.Usage.Machine.CPUs != 64 {
		t.Errorf("the window: %+v", c.Usage)
	}
	if log := readLog(t, folder); len(log.Tags()) != 6 {
		t.Errorf("tags %v, want hiccup among six", log.Tags())
	}
}

// A day's observation takes no more memory than that of its first hour, and its files
// have every second.
func TestADaysObservationIsNotKept(t *testing.T) {
	day := 86_400
	if testing.Short() {
		day = 7200
	}
	folder := newFolder(t, newStore(t), "cell")
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var hour, end int64
	c := &results.Cell{}
	synctest.Test(t, func(t *testing.T) {
		o, err := newSelfSampler(&observer{at: time.Hour}, folder)
		if err != nil {
			t.Fatal(err)
		}
		for second := range time.Duration(day) {
			o.recorder.Record(0, []histogram.Sample{{Value: ms * (second % 10)}})
			o.take(second*time.Second, (second+1)*time.Second, func() {})
			o.keep(true)
			if second == 3600 {
				hour = heap()
			}
		}
		end = heap()
		o.describe(c)
		if err := o.close(true); err != nil {
			t.Fatal(err)
		}
	})
	if t.Logf("%d kB after an hour, %d kB after a day", hour>>10, end>>10); end > hour+256<<10 {
		t.Errorf("memory grows: %d B after an hour, %d B after a day", hour, end)
	}
	if usage, err := folder.ReadUsage(); err != nil || len(usage) != day || usage[day-1].ToNS != int64(day)*int64(time.Second) {
		t.Errorf("%d intervals, %v", len(usage), err)
	}
}

// A cell that never began leaves no half-written file.
func TestACellThatNeverBeganLeavesNoUsage(t *testing.T) {
	folder := newFolder(t, newStore(t), "cell")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f, err := loopback.New(loopback.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := judged(ctx, f, cellOf(100, time.Second), Options{Observer: &observer{at: time.Hour}, Folder: folder}); err == nil {
		t.Fatal("measured after the end")
	}
	if files, _ := filepath.Glob(filepath.Join(folder.Dir(), "*resources*")); len(files) > 0 {
		t.Errorf("left: %v", files)
	}
	if files, _ := filepath.Glob(filepath.Join(folder.Dir(), ".*")); len(files) > 0 {
		t.Errorf("left: %v", files)
	}
}
