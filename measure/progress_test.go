package measure

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// reported measures a cell in virtual time and returns every progress that was
// reported, without its histogram, and the result.
func reported(t *testing.T, system loopback.Config, cell plan.Cell, every time.Duration) (progress []Progress, c *results.Cell) {
	t.Helper()
	c = virtual(t, system, cell, Options{ProgressEvery: every, Progress: func(p Progress) {
		p.Response = nil
		progress = append(progress, p)
	}})
	return progress, c
}

func TestProgressEvery(t *testing.T) {
	for _, tt := range []struct {
		every time.Duration
		want  []time.Duration // of the first two seconds, intervals negative
	}{
		{0, []time.Duration{-1000, -2000}},
		{-1, []time.Duration{-1000, -2000}},
		{time.Hour, []time.Duration{-1000, -2000}},
		{500 * ms, []time.Duration{500, -1000, 1500, -2000}},
		{300 * ms, []time.Duration{300, 600, 900, -1000, 1200, 1500, 1800, -2000}}, // also where it does not divide a second
		{time.Nanosecond, nil},                                                     // every 50 ms
	} {
		progress, _ := reported(t, loopback.Config{Delay: ms}, cellOf(100, 2*time.Second), tt.every)
		var got []time.Duration
		for _, p := range progress {
			at := p.Elapsed.Round(ms) / ms
			if p.Interval {
				at = -at
			}
			if p.Elapsed <= 2*time.Second {
				got = append(got, at)
			}
		}
		// A report that is due while an interval is taken is left out.
		if tt.want == nil && len(got) >= 36 && got[0] == 50 && got[19] == -1000 {
			continue
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("every %v: reported at %v, want %v", tt.every, got, tt.want)
		}
	}
}

// Reporting more often leaves the files as they are, to the last byte.
func TestReportingLeavesTheLogAsItIs(t *testing.T) {
	files := func(every time.Duration) (all []string) {
		store := newStore(t)
		folder := newFolder(t, store, "cell")
		system := loopback.Config{Delay: ms, Freezes: []loopback.Freeze{{At: 2200 * ms, For: 700 * ms}}}
		virtual(t, system, cellOf(333, 3*time.Second), Options{Folder: folder, Progress: func(Progress) {}, ProgressEvery: every})
		for _, name := range []string{results.IntervalsFile, results.ResponseFile, results.ServiceFile} {
			text, err := os.ReadFile(filepath.Join(folder.Dir(), name))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(text))
		}
		return all
	}
	seldom, often := files(0), files(70*ms)
	for i := range seldom {
		if seldom[i] != often[i] || len(seldom[i]) < 100 {
			t.Errorf("once a second:\n%s\nevery 70 ms:\n%s", seldom[i], often[i])
		}
	}
}

// A system that stands still from 2.0 s to 3.0 s: what is due meanwhile is
// outstanding, and the rate of the last second falls.
func TestProgressThroughAFreeze(t *testing.T) {
	system := loopback.Config{Delay: ms, Freezes: []loopback.Freeze{{At: 2 * time.Second, For: time.Second}}}
	progress, c := reported(t, system, cellOf(1000, 4*time.Second), 250*ms)
	at := func(offset time.Duration) Progress {
		i := slices.IndexFunc(progress, func(p Progress) bool { return p.Elapsed >= offset })
		return progress[i]
	}
	near := func(name string, got, want, within float64) {
		t.Helper()
		if got < want-within || got > want+within {
			t.Errorf("%s: %v, want %v ± %v", name, got, want, within)
		}
	}
	near("due at 2 s", float64(at(2*time.Second).Due), 2000, 1)
	near("outstanding at 2 s", float64(at(2*time.Second).Outstanding), 1, 1)
	near("done of the window at 2 s", float64(at(2*time.Second).Done), 1000, 2)
	near("rate at 2 s", at(2*time.Second).RateNow, 1000, 2)
	near("outstanding at 2.75 s", float64(at(2750*ms).Outstanding), 750, 2)
	near("rate at 2.75 s", at(2750*ms).RateNow, 250, 3)
	near("max at 2.75 s", at(2750*ms).Max.Seconds(), 0.001, 0.0001)
	near("max at 3.25 s", at(3250*ms).Max.Seconds(), 1, 0.002)
	near("outstanding at 3.25 s", float64(at(3250*ms).Outstanding), 1, 1)
	last := progress[len(progress)-1]
	if !last.Interval || last.Done != c.Ledger.Done || last.Due != 5000 || last.Outstanding != 0 || last.Max != time.Duration(c.Response.MaxNS) {
		t.Errorf("the last is %+v, the result %+v", last, c.Ledger)
	}
	for _, tt := range []struct {
		got  time.Duration
		name float64
	}{{last.P50, 50}, {last.P99, 99}, {last.P999, 99.9}} {
		wantNear(t, c.Response, tt.name, tt.got)
	}
}

// Between two seconds the response histogram holds all that was done by then.
func TestTheResponseSoFar(t *testing.T) {
	var before int64
	virtual(t, loopback.Config{Delay: ms}, cellOf(1000, 2*time.Second), Options{ProgressEvery: 100 * ms, Progress: func(p Progress) {
		if n := p.Response.Count(); n != p.Done || n < before || p.Elapsed > 1500*ms && n == before && p.Elapsed < p.Total {
			t.Errorf("at %v: %d response times, %d before, %d done", p.Elapsed, n, before, p.Done)
		}
		before = p.Response.Count()
	}})
	if before != 2000 {
		t.Errorf("%d in the end, want 2000", before)
	}
}

// Recording does not allocate after a step that found nothing recorded, nor after
// one that did.
func TestRecordingBesideAStepDoesNotAllocate(t *testing.T) {
	in, err := openIntervals(Options{Progress: func(Progress) {}, ProgressEvery: soonest}, cellOf(1000, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	samples := []histogram.Sample{{Series: record.Response, Value: ms}}
	in.step(period, true)
	if got := testing.AllocsPerRun(1000, func() { in.recording.recorder.Recorder.Record(1, samples) }); got != 0 {
		t.Errorf("%v allocations a record", got)
	}
	if in.step(2*period, true); in.recording.totals[record.Response].Count() != 1001 {
		t.Errorf("%d recorded", in.recording.totals[record.Response].Count())
	}
}
