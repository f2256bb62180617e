package canary

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// Wherever a process is killed while it accounts for a gap of several hours, the next one accounts for the rest.
func TestKilledWhileAGapIsWritten(t *testing.T) {
	for kill := 1; ; kill++ {
		steps := 0
		synctest.Test(t, func(t *testing.T) {
			dir, begun, s := t.TempDir(), time.Now(), &system{delay: steady}
			o := Options{Config: config(0.1), Open: s.open, Flush: 10 * time.Minute, engine: light}
			if err := run(t, dir, 30*time.Minute, o); err != nil {
				t.Fatal(err)
			}
			time.Sleep(4 * time.Hour)
			f := open(t, dir)
			f.before = func(string) error {
				if steps++; steps >= kill {
					return errKilled
				}
				return nil
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_ = Run(ctx, f, o) // the killed process says nothing
			cancel()
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			if err := run(t, dir, 5*time.Minute, o); err != nil {
				t.Fatal(err)
			}
			m, of := month(t, dir), int64(time.Since(begun)/(10*time.Second))
			if n := m.Ledger.Due + m.NotMeasured; n < of-3 || n > of+8 {
				t.Errorf("killed at step %d: %d due and not measured, of %d; gaps %v", kill, n, of, m.Gaps)
			}
		})
		if steps < kill || t.Failed() {
			t.Logf("%d steps", steps)
			return
		}
	}
}

// A log that a killed process left under its new name is that to which lines are appended.
func TestAppendAfterAKill(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	defer f.Close()
	b, h := newBook("2026-11-27T12"), NewHistograms()
	h[Response].Record(5)
	if err := f.rewrite(b, h); err != nil {
		t.Fatal(err)
	}
	h[Response].Record(7_000_000)
	f.before = func(path string) error {
		if filepath.Ext(path) == ".new" {
			if b, _, err := Load(dir, "2026-11-27T12"); err == nil && b.Closed {
				return errKilled
			}
		}
		return nil
	}
	b.Closed = true
	if err := f.rewrite(b, h); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	f.before = nil
	b, log, err := loadBook(dir, b.Period)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.append(b, lastLine(log)); err != nil {
		t.Fatal(err)
	}
	if _, sums, err := Load(dir, b.Period); err != nil || sums[Response].Count() != 4 {
		t.Errorf("%v, %v", sums, err)
	}
}

// A reader sees a book whole while it is replaced and removed, or none.
func TestReadWhileReplaced(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	defer f.Close()
	const p Period = "2026-11-27T12"
	done := make(chan error, 1)
	until := time.Now().Add(time.Second)
	go func() {
		var err error
		for n := 1; err == nil && time.Now().Before(until); n++ {
			h := NewHistograms()
			h[Response].Record(time.Duration(n))
			if err = f.rewrite(newBook(p), h); n%2 == 0 {
				err = errors.Join(err, f.remove(p))
			}
		}
		done <- err
	}()
	for time.Now().Before(until) {
		if _, _, err := Load(dir, p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
			break
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A reader that had an hour before it became part of a day, and that of a month, does not count it twice.
func TestAMonthHoldsHours(t *testing.T) {
	dir := t.TempDir()
	f, n := filled(t, dir)
	defer f.Close()
	kept := make(map[string][]byte)
	for _, suffix := range []string{ledgerSuffix, logSuffix} {
		path := f.path("2026-11-29T08", suffix)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		kept[path] = text
	}
	if err := f.roll(time.Date(2026, 12, 2, 0, 0, 0, 0, time.UTC), func(Period) bool { return false }); err != nil {
		t.Fatal(err)
	}
	for path, text := range kept {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, m := range r.Months {
		total += m.Response.Count
	}
	if total != n {
		t.Errorf("%d values, want %d", total, n)
	}
}

// An outage after a turn that ended with an error is one from then on, not from the end of the hour.
func TestAnErrorBeginsAnOutage(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, errEngine := &system{delay: steady}, errors.New("defect")
		broken := func(ctx context.Context, f requester.Factory, cfg load.Config, rec load.Recorder, hooks load.Hooks) (load.Outcome, error) {
			limited, cancel := context.WithTimeout(ctx, 10*time.Minute)
			defer cancel()
			out, err := light(limited, f, cfg, rec, hooks)
			if err == nil && ctx.Err() == nil {
				s.set(errDown, false)
				err = errEngine
			}
			return out, err
		}
		if err := run(t, dir, 50*time.Minute, Options{Config: config(1), Open: s.open, Flush: 2 * time.Minute, engine: broken}); err != nil {
			t.Fatal(err)
		}
		if m := month(t, dir); m.Ledger.Unsent < 2398 || m.Ledger.Unsent > 2402 {
			t.Errorf("%+v, outages %v; want 2400 unsent", m.Ledger, m.Outages)
		}
	})
}

// A canary whose messages are further apart than the timeout is up while they come back.
func TestUpAtALowRate(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		up, down := 0, 0
		o := Options{Config: config(0.02), Open: (&system{delay: steady}).open, engine: light}
		o.Show = func(s Snapshot) {
			if s.Up {
				up++
			} else {
				down++
			}
		}
		if err := run(t, dir, 10*time.Minute, o); err != nil {
			t.Fatal(err)
		}
		if up < 50 || down > 2 { // before the first turn, and after the last
			t.Errorf("up at %d flushes, down at %d", up, down)
		}
	})
}

// Gaps are in the order of time, although hours are read before the days that are over.
func TestGapsAreInOrder(t *testing.T) {
	dir := t.TempDir()
	f, _ := filled(t, dir)
	defer f.Close()
	if err := f.roll(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), func(Period) bool { return false }); err != nil {
		t.Fatal(err)
	}
	r, err := Read(dir)
	if err != nil || len(r.Months) != 2 || len(r.Months[1].Gaps) != 6 {
		t.Fatalf("%+v, %v", r.Months, err)
	}
	if gaps := r.Months[1].Gaps; !slices.IsSortedFunc(gaps, func(a, b Span) int { return a.From.Compare(b.From) }) {
		t.Errorf("%v", gaps)
	}
}

// A canary that has measured goes on when the target's options cannot be read for a time, such as a certificate that is replaced.
func TestOpenFailsForATime(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, begun, errFile := &system{delay: steady}, time.Now(), errors.New("no such file")
		o := Options{Config: config(1), Flush: time.Minute, engine: light, Open: func(run string) (requester.Factory, error) {
			if at := time.Since(begun); at > 50*time.Minute && at < 70*time.Minute {
				return nil, errFile
			}
			return s.open(run)
		}}
		if err := run(t, dir, 80*time.Minute, o); err != nil {
			t.Fatal(err)
		}
		m := month(t, dir)
		if m.NotMeasured < 600 || m.NotMeasured > 616 || m.Ledger.Missing() > 1 || len(m.Gaps) != 1 || m.Gaps[0].Cause != errFile.Error() {
			t.Errorf("%+v, %d not measured, gaps %v; want 10 minutes", m.Ledger, m.NotMeasured, m.Gaps)
		}
	})
}
