package measure

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/results"
)

// watched measures a cell in virtual time and returns every progress, without its
// histogram, and the result.
func watched(t *testing.T, system loopback.Config, cell plan.Cell, every time.Duration) (seen []Progress, c *results.Cell) {
	t.Helper()
	c = virtual(t, system, cell, Options{WatchEvery: every, Watch: func(p Progress) {
		p.Response = nil
		seen = append(seen, p)
	}})
	return seen, c
}

func TestWatchEvery(t *testing.T) {
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
		seen, _ := watched(t, loopback.Config{Delay: ms}, cellOf(100, 2*time.Second), tt.every)
		var got []time.Duration
		for _, p := range seen {
			at := p.Elapsed.Round(ms) / ms
			if p.Interval {
				at = -at
			}
			if p.Elapsed <= 2*time.Second {
				got = append(got, at)
			}
		}
		if tt.want == nil && len(got) == 40 && got[0] == 50 && got[19] == -1000 {
			continue
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("every %v: looks at %v, want %v", tt.every, got, tt.want)
		}
	}
}

// Watching more closely leaves the files as they are, to the last byte.
func TestWatchingLeavesTheLogAsItIs(t *testing.T) {
	files := func(every time.Duration) (all []string) {
		store, err := results.Create(t.TempDir(), "test", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		folder, err := store.CreateCell("cell")
		if err != nil {
			t.Fatal(err)
		}
		system := loopback.Config{Delay: ms, Freezes: []loopback.Freeze{{At: 2200 * ms, For: 700 * ms}}}
		virtual(t, system, cellOf(333, 3*time.Second), Options{Folder: folder, Watch: func(Progress) {}, WatchEvery: every})
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
	seen, c := watched(t, system, cellOf(1000, 4*time.Second), 250*ms)
	at := func(offset time.Duration) Progress {
		i := slices.IndexFunc(seen, func(p Progress) bool { return p.Elapsed >= offset })
		return seen[i]
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
	last := seen[len(seen)-1]
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
	virtual(t, loopback.Config{Delay: ms}, cellOf(1000, 2*time.Second), Options{WatchEvery: 100 * ms, Watch: func(p Progress) {
		if n := p.Response.Count(); n != p.Done || n < before || p.Elapsed > 1500*ms && n == before && p.Elapsed < p.Total {
			t.Errorf("at %v: %d response times, %d before, %d done", p.Elapsed, n, before, p.Done)
		}
		before = p.Response.Count()
	}})
	if before != 2000 {
		t.Errorf("%d in the end, want 2000", before)
	}
}

func TestDuesAgreeWithTheSchedule(t *testing.T) {
	for _, arrivals := range []schedule.Arrivals{"", schedule.Constant, schedule.Poisson, schedule.Burst(10)} {
		spec := schedule.Spec{Arrivals: arrivals, Rate: 997, Duration: 3 * time.Second, Seed: 7}
		var all []time.Duration
		for i := range 3 {
			all = append(all, slices.Collect(spec.Offsets(schedule.Share{}.Split(i, 3)))...)
		}
		d := newDues(spec, 3)
		for to := -time.Second; to < 5*time.Second; to += 123_456_789 {
			want := int64(0)
			for _, due := range all {
				if due < to {
					want++
				}
			}
			if got := d.until(to); got != want {
				t.Errorf("%q: %d ops due until %v, want %d", arrivals, got, to, want)
			}
		}
	}
}

// A look at an interval in which nothing was recorded costs the path nothing, and
// neither does one at a full one: recording allocates nothing beside it.
func TestRecordingBesideALookDoesNotAllocate(t *testing.T) {
	in, err := newIntervals(Options{Watch: func(Progress) {}, WatchEvery: soonest}, cellOf(1000, time.Minute), surroundings{})
	if err != nil {
		t.Fatal(err)
	}
	samples := []histogram.Sample{{Series: response, Value: ms}}
	in.look(period, true)
	if got := testing.AllocsPerRun(1000, func() { in.recorder.Recorder.Record(1, samples) }); got != 0 {
		t.Errorf("%v allocations a record", got)
	}
	if in.look(2*period, true); in.totals[response].Count() != 1001 {
		t.Errorf("%d recorded", in.totals[response].Count())
	}
}
