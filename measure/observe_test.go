package measure

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/results"
)

// observer reports one hiccup at a given time, and a core more in each sample.
type observer struct {
	at, hiccup time.Duration
	samples    float64
	watching   atomic.Int32
}

func (o *observer) WatchHiccups(record func(time.Duration)) func() {
	o.watching.Add(1)
	timer := time.AfterFunc(o.at, func() { record(o.hiccup) })
	return func() {
		timer.Stop()
		o.watching.Add(-1)
	}
}

func (o *observer) Sample() results.Usage {
	o.samples++
	return results.Usage{
		Process: results.ProcessUsage{CPUCores: o.samples}, Machine: &results.MachineUsage{CPUs: 64, BusyCores: 2 * o.samples},
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
		if n := o.watching.Load(); n != 0 {
			t.Errorf("%s: %d watches go on", tt.name, n)
		}
	}
}

// Of the warm-up's second the cell's summary knows nothing, the files do.
func TestUsageIsOfTheWindow(t *testing.T) {
	store, err := results.Create(t.TempDir(), "test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	folder, err := store.CreateCell("cell")
	if err != nil {
		t.Fatal(err)
	}
	c := virtual(t, loopback.Config{Delay: ms}, cellOf(1000, 3*time.Second), Options{Observer: &observer{at: 500 * ms, hiccup: 2 * ms}, Folder: folder})
	if c.Hiccup.Count != 0 {
		t.Errorf("%d hiccups, want that of the warm-up left out", c.Hiccup.Count)
	}
	usage, err := folder.ReadUsage()
	if err != nil || len(usage) < 4 {
		t.Fatalf("%d intervals, %v; want 4 at least", len(usage), err)
	}
	// The first sample is that of the start, which begins the count.
	if u := usage[0]; u.FromNS != 0 || u.ToNS != int64(time.Second) || u.Process.CPUCores != 2 || u.HiccupMaxNS != int64(2*ms) {
		t.Errorf("the first interval: %+v", u)
	}
	if c.Usage.Process.CPUCores < 4 || c.Usage.Machine.CPUs != 64 {
		t.Errorf("the window: %+v", c.Usage)
	}
	if log := readLog(t, folder); len(log.Tags()) != 5 {
		t.Errorf("tags %v, want hiccup among five", log.Tags())
	}
}

func readLog(t *testing.T, folder *results.CellFolder) histogram.Log {
	t.Helper()
	f, err := folder.OpenIntervals()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log, err := histogram.ReadLog(f)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func TestFloorIsMeasuredForEachShape(t *testing.T) {
	cell := cellOf(1000, 10*time.Second)
	echo, err := loopback.New(loopback.Config{Delay: 3 * ms})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		f, err := floor(t.Context(), cell, echo, Options{newWaiter: load.SleepWaiter})
		if err != nil {
			t.Fatal(err)
		}
		if f.Echo.Response.Count != 1000 || f.Noop.Response.Count != 1000 {
			t.Errorf("%d and %d ops, want a second's", f.Echo.Response.Count, f.Noop.Response.Count)
		}
		wantNear(t, f.Echo.Response, 99, 3*ms)
		if v, _ := value(f.Noop.Response, 99); v != 0 {
			t.Errorf("no-op p99 = %v, want 0", v)
		}
	})
}

func TestFloorOfABrokenEcho(t *testing.T) {
	broken := requester.BlockingFactory(func(int) (requester.Do, func() error, error) {
		return nil, nil, errors.New("too many open files")
	})
	_, err := Floor(t.Context(), cellOf(1000, time.Second), broken)
	if err == nil || !strings.Contains(err.Error(), "floor of 1000-64B-c1-fopen: TCP echo: ") {
		t.Errorf("Floor: %v", err)
	}
}

// A floor that cannot be measured is told, and the cells are measured.
func TestRunnerMeasuresFloorsOnce(t *testing.T) {
	p := plan.Plan{
		Name: "test", Repeat: 2,
		Targets:  []plan.Target{{Name: "a", URL: "loopback:"}, {Name: "b", URL: "loopback:"}},
		Shapes:   []plan.Shape{{Rate: 100, Size: 64, Connections: 1}, {Rate: 200, Size: 64, Connections: 1}},
		Settings: plan.Settings{Duration: 100 * ms, Timeout: time.Second, Floor: true},
	}
	var asked []int
	r := Runner{
		Open: func(plan.Target, string) (requester.Factory, error) { return loopback.New(loopback.Config{}) },
		Floor: func(_ context.Context, cell plan.Cell) (*results.Floor, error) {
			asked = append(asked, cell.Shape.Rate)
			if cell.Shape.Rate == 200 {
				return nil, errors.New("no echo")
			}
			return &results.Floor{Echo: results.FloorRun{ReachedPerS: 100}}, nil
		},
	}
	_, cells, _, err := r.Run(t.Context(), p)
	if err == nil || !strings.Contains(err.Error(), "no echo (leave it out with --floor=off)") {
		t.Errorf("Run: %v", err)
	}
	if len(cells) != 8 || len(asked) != 2 {
		t.Fatalf("%d cells, floors of %v; want 8 and two", len(cells), asked)
	}
	for _, c := range cells {
		if (c.Floor != nil) != (c.Plan.Shape.Rate == 100) {
			t.Errorf("%s: floor %+v", c.ID, c.Floor)
		}
	}
}
