package measure

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// One reply in a thousand never comes, so the run waits for 30 s after its window:
// those seconds are in the log and in no average.
func TestADrainIsInNoAverage(t *testing.T) {
	cell := cellOf(1000, 4*time.Second)
	cell.Settings.Timeout = 30 * time.Second
	folder := newFolder(t, newStore(t), "cell")
	c := virtual(t, loopback.Config{Delay: ms, Drop: 0.001}, cell, Options{Observer: &observer{at: time.Hour}, Folder: folder})
	if c.Ledger.Lost == 0 || c.ElapsedNS < int64(30*time.Second) {
		t.Fatalf("no drain: %+v after %v", c.Ledger, time.Duration(c.ElapsedNS))
	}
	// Samples are numbered from the start; those of the window are 3 to 6.
	if off := c.Usage.Process.CPUCores - 0.045; math.Abs(off) > 1e-9 || c.Usage.ToNS != int64(5*time.Second) {
		t.Errorf("usage %+v until %v, want a mean of 0.045 cores until 5s", c.Usage.Process, time.Duration(c.Usage.ToNS))
	}
	usage, err := folder.ReadUsage()
	if err != nil || len(usage) < 35 {
		t.Errorf("%d intervals in the file, %v; want 35 at least", len(usage), err)
	}
}

// slowToEnd takes ten seconds for its Teardown.
type slowToEnd struct{ requester.Requester }

func (s slowToEnd) Teardown(ctx context.Context) error {
	time.Sleep(10 * time.Second)
	return s.Requester.Teardown(ctx)
}

type slowToEndFactory struct{ *loopback.Factory }

func (f slowToEndFactory) New(conn int, sink requester.Sink) (requester.Requester, error) {
	r, err := f.Factory.New(conn, sink)
	return slowToEnd{r}, err
}

func TestTeardownIsInNoInterval(t *testing.T) {
	f, err := loopback.New(loopback.Config{Delay: ms})
	if err != nil {
		t.Fatal(err)
	}
	folder := newFolder(t, newStore(t), "cell")
	synctest.Test(t, func(t *testing.T) {
		o := Options{Observer: &observer{at: time.Hour}, Folder: folder, NewWaiter: load.SleepWaiter}
		if _, err := judged(t.Context(), slowToEndFactory{f}, cellOf(1000, 2*time.Second), o); err != nil {
			t.Fatal(err)
		}
	})
	usage, err := folder.ReadUsage()
	if last := usage[len(usage)-1]; err != nil || time.Duration(last.ToNS) > 3100*ms {
		t.Errorf("the last interval ends at %v, %v", time.Duration(last.ToNS), err)
	}
}

// Progress stands in for whatever keeps the goroutine of the intervals from running:
// the five seconds that it misses are one interval, not five of which four are
// empty.
func TestWhatWasMissedIsOneInterval(t *testing.T) {
	folder := newFolder(t, newStore(t), "cell")
	blocked := false
	o := Options{Folder: folder, Observer: &observer{at: time.Hour}, Progress: func(p Progress) {
		if p.Interval && p.Elapsed > 3*time.Second && !blocked {
			blocked = true
			time.Sleep(5300 * ms)
		}
	}}
	c := virtual(t, loopback.Config{Delay: ms}, cellOf(1000, 15*time.Second), o)
	usage, err := folder.ReadUsage()
	if err != nil {
		t.Fatal(err)
	}
	var long, short []results.Usage
	for _, u := range usage[:len(usage)-1] {
		switch d := time.Duration(u.ToNS - u.FromNS); {
		case d > 2*time.Second:
			long = append(long, u)
		case d < 500*ms:
			short = append(short, u)
		}
	}
	if len(long) != 1 || len(short) > 1 || c.Ledger.Done != 15_000 {
		t.Errorf("long intervals %+v, short ones %+v", long, short)
	}
}
