package measure

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester/loopback"
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

func (o *observer) Sample() results.Usage {
	o.samples++
	return results.Usage{
		Process: results.ProcessUsage{CPUCores: o.samples / 100}, Machine: &results.MachineUsage{CPUs: 64, BusyCores: o.samples / 50},
	}
}

// frozen stands still for a second from 6.2 s on.
var frozen = loopback.Config{Delay: ms, Freezes: []loopback.Freeze{{At: 6200 * ms, For: time.Second}}}

// A hiccup in the interval of the worst responses explains them if it is half as
// long, and in the interval before; else it does not.
func TestTailIsExplainedByHiccups(t *testing.T) {
	for _, tt := range []struct {
		name       string
		at, hiccup time.Duration
		with       int
		verdict    results.Verdict
	}{
		{"at the same time", 7200 * ms, 600 * ms, 1, results.Suspect},
		{"in the second before", 6500 * ms, 600 * ms, 1, results.Suspect},
		{"too short", 7200 * ms, 400 * ms, 0, results.Valid},
		{"at another time", 3500 * ms, 900 * ms, 0, results.Valid},
	} {
		o := &observer{at: tt.at, hiccup: tt.hiccup}
		c := virtual(t, frozen, cellOf(1000, 10*time.Second), Options{Observer: o})
		if c.Tail == nil || c.Tail.Intervals != 1 || c.Tail.WithHiccup != tt.with || c.Verdict != tt.verdict {
			t.Errorf("%s: %+v, %s %v; want %d of 1 with a hiccup, %s", tt.name, c.Tail, c.Verdict, c.Problems, tt.with, tt.verdict)
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
	if log := readLog(t, folder); len(log.Tags()) != 5 {
		t.Errorf("tags %v, want hiccup among five", log.Tags())
	}
}
