package canary

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

func steady(int) time.Duration { return 1234567 }

// run runs a canary for a time.
func run(t *testing.T, dir string, long time.Duration, o Options) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	f := open(t, dir)
	defer f.Close()
	return Run(ctx, f, o)
}

// month returns that of a report which has one.
func month(t *testing.T, dir string) Month {
	t.Helper()
	r, err := Read(dir)
	if err != nil || len(r.Months) != 1 {
		t.Fatalf("%d months, %v", len(r.Months), err)
	}
	if err := r.Months[0].Ledger.Check(); err != nil {
		t.Error(err)
	}
	return r.Months[0]
}

// Hours follow each other without a gap, and each log has the messages of its hour.
func TestHoursFollowEachOther(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &system{delay: steady}
		if err := run(t, dir, time.Hour+10*time.Minute, Options{Config: config(1), Open: s.open}); err != nil {
			t.Fatal(err)
		}
		for p, want := range map[Period]int64{"2000-01-01T00": 3600, "2000-01-01T01": 600} {
			b, h, err := Load(dir, p)
			if err != nil {
				t.Fatal(err)
			}
			if d := b.Ledger.Due - want; d < -1 || d > 1 || b.Ledger.Done != b.Ledger.Due || h[Response].Count() != b.Ledger.Done || b.NotMeasured != 0 || len(b.Gaps)+len(b.Outages)+len(b.Open) > 0 {
				t.Errorf("%s: %+v, want %d due", p, b, want)
			}
			if h[Response].Max() != 1234567 || h[Lag].Max() != 0 {
				t.Errorf("%s: the longest response is %v, the lag %v", p, h[Response].Max(), h[Lag].Max())
			}
		}
		if s.maxAlive > 2 || len(s.began) != 2 {
			t.Errorf("%d connections at once in %d turns", s.maxAlive, len(s.began))
		}
	})
}

// While the broker is away, messages are unsent, and attempts back off.
func TestAnOutageIsUnsent(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &system{delay: steady}
		time.AfterFunc(5*time.Minute, func() { s.set(nil, true) })
		time.AfterFunc(6*time.Minute, func() { s.set(errDown, false) })
		time.AfterFunc(15*time.Minute, func() { s.set(nil, false) })
		if err := run(t, dir, 20*time.Minute, Options{Config: config(1), Open: s.open}); err != nil {
			t.Fatal(err)
		}
		m := month(t, dir)
		l := m.Ledger
		if l.Due < 1199 || l.Due > 1212 || // each turn begins with a message
			l.Missing() < 600 || l.Missing() > 616 || l.Unsent < 530 || m.NotMeasured != 0 {
			t.Errorf("%+v, %d not measured; want 1200 due, 600 to 615 of them missing", l, m.NotMeasured)
		}
		if len(m.Outages) == 0 || len(m.Gaps) != 0 {
			t.Errorf("outages %v, gaps %v", m.Outages, m.Gaps)
		}
		if p999, _ := m.Response.At(99.9); p999.ValueNS != nil {
			t.Errorf("p99.9 is known: %v", *p999.ValueNS)
		}
		if n := len(s.runs); n < 30 || n > 60 { // 9 minutes, 15 s apart, and some turns that were deaf
			t.Errorf("%d attempts to connect", n)
		}
	})
}

// A new folder needs a broker that answers; one that has measured does not.
func TestTheFirstAttemptMustSucceed(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &system{delay: steady, down: errDown}
		o := Options{Config: config(1), Open: s.open}
		if err := run(t, dir, time.Hour, o); !errors.Is(err, errDown) {
			t.Fatalf("a new folder: %v", err)
		}
		s.set(nil, false)
		if err := run(t, dir, time.Minute, o); err != nil {
			t.Fatal(err)
		}
		s.set(errDown, false)
		time.Sleep(30 * time.Second)
		if err := run(t, dir, time.Minute, o); err != nil {
			t.Fatal(err)
		}
		m := month(t, dir)
		if m.Ledger.Unsent < 59 || m.Ledger.Unsent > 61 || m.NotMeasured < 29 || m.NotMeasured > 32 || len(m.Gaps) != 1 || !strings.Contains(m.Gaps[0].Cause, "stopped") {
			t.Errorf("%+v, %d not measured, gaps %v", m.Ledger, m.NotMeasured, m.Gaps)
		}
	})
}

// Steps of the wall clock: ahead is a gap, back is noted, and no message is lost or counted twice.
func TestStepsOfTheClock(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &system{delay: steady}
		begun := time.Now()
		wall := func() time.Time {
			now := time.Now()
			switch at := now.Sub(begun); {
			case at > 5*time.Hour:
				return now.Add(-2 * time.Hour)
			case at > 2*time.Hour+10*time.Minute:
				return now.Add(40 * time.Minute)
			}
			return now
		}
		if err := run(t, dir, 30*time.Hour, Options{Config: config(0.1), Open: s.open, Wall: wall, Flush: time.Minute, engine: light}); err != nil {
			t.Fatal(err)
		}
		m := month(t, dir)
		if d := m.Ledger.Due - 10_800; d < -40 || d > 40 || m.Ledger.Missing() > 1 || s.sent-m.Ledger.Due > 1 || s.sent < m.Ledger.Done {
			t.Errorf("%+v of %d sent", m.Ledger, s.sent)
		}
		if len(m.Gaps) != 1 || m.Gaps[0].To.Sub(m.Gaps[0].From).Round(time.Minute) != 40*time.Minute || m.NotMeasured != 240 {
			t.Errorf("gaps %v, %d not measured", m.Gaps, m.NotMeasured)
		}
		if len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "set back by 2h40m") {
			t.Errorf("notes %q", m.Notes)
		}
	})
}

// Topics that could not be removed are tried again; with too many the canary measures no more.
func TestLeftTopicsDoNotAccumulate(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, removable := &system{delay: steady, left: []string{"topic x"}}, false
		clean := func(context.Context, string) (bool, error) { return removable, nil }
		o := Options{Config: config(0.01), Open: s.open, Clean: clean, Flush: time.Minute, engine: light}
		if err := run(t, dir, 40*time.Hour, o); err != nil {
			t.Fatal(err)
		}
		id, err := ReadIdentity(dir)
		if err != nil || len(id.Runs) != mostLeft || len(s.runs) > mostLeft {
			t.Errorf("%d runs with topics of %d in all, %v", len(id.Runs), len(s.runs), err)
		}
		m := month(t, dir)
		if len(m.Gaps) == 0 || !strings.Contains(m.Gaps[0].Cause, "could not be removed") {
			t.Errorf("gaps %v", m.Gaps)
		}
		removable, s.left = true, nil
		if err := run(t, dir, 2*time.Hour, o); err != nil {
			t.Fatal(err)
		}
		if id, err := ReadIdentity(dir); err != nil || len(id.Runs) > 2 {
			t.Errorf("%d runs with topics are left, %v", len(id.Runs), err)
		}
	})
}

// A disk that is full loses nothing once it has space.
func TestAFullDiskLosesNothing(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &system{delay: steady}
		f := open(t, dir)
		defer f.Close()
		begun, errFull := time.Now(), errors.New("no space left on device")
		f.before = func(string) error {
			if at := time.Since(begun); at > 20*time.Minute && at < 70*time.Minute {
				return errFull
			}
			return nil
		}
		unwritten := 0
		o := Options{Config: config(1), Open: s.open, Show: func(s Snapshot) {
			if errors.Is(s.Unwritten, errFull) {
				unwritten++
			}
		}}
		ctx, cancel := context.WithTimeout(t.Context(), 80*time.Minute)
		defer cancel()
		if err := Run(ctx, f, o); err != nil {
			t.Fatal(err)
		}
		m := month(t, dir)
		if m.Ledger.Due != s.sent || m.Ledger.Done != s.sent || m.Response.Count != s.sent || unwritten < 295 || unwritten > 305 {
			t.Errorf("%+v, %d values of %d sent; %d flushes failed", m.Ledger, m.Response.Count, s.sent, unwritten)
		}
	})
}

// A broker that refuses the target's options ends the canary.
func TestOpenFails(t *testing.T) {
	errOptions := errors.New("options")
	o := Options{Config: config(1), Open: func(string) (requester.Factory, error) { return nil, errOptions }}
	if err := run(t, t.TempDir(), time.Minute, o); !errors.Is(err, errOptions) {
		t.Error(err)
	}
}
