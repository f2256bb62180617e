package canary

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// A truth has what came back, as the system itself saw it, of the periods of the turns that had sent it.
type truth struct {
	*system

	of      map[Period]*histogram.Histogram // of months
	flushed time.Time                       // the last flush that was written
}

// flush counts what has come back so far, which a flush has written.
func (t *truth) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.samples {
		p := HourOf(t.began[s.run].Add(slack)).Month()
		if t.of[p] == nil {
			t.of[p] = histogram.New()
		}
		t.of[p].Record(s.v)
	}
	t.samples, t.flushed = nil, time.Now()
}

// kill forgets what no flush has written.
func (t *truth) kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.samples = nil
}

// size returns how many files a folder has, and their bytes.
func size(t *testing.T, dir string) (files int, bytes int64) {
	t.Helper()
	err := filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			files, bytes = files+1, bytes+info.Size()
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return files, bytes
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

var errKilled = errors.New("killed")

// life is that of one process.
type life struct {
	long   time.Duration
	killed bool
	at     string // part of the path of the file at whose change it is killed; "": after long
}

// live runs a canary until the end of its life. It returns when its process began.
func (l life) live(t *testing.T, dir string, tr *truth, o Options) {
	ctx, cancel := context.WithTimeout(t.Context(), l.long)
	defer cancel()
	f := open(t, dir)
	defer f.Close()
	var hit atomic.Bool
	dead := func() bool { return hit.Load() || l.killed && l.at == "" && ctx.Err() != nil }
	f.before = func(path string) error {
		if l.at != "" && strings.Contains(path, l.at) {
			if !dead() {
				tr.flush() // the books were written before
			}
			hit.Store(true)
			cancel()
		}
		if dead() {
			return errKilled
		}
		return nil
	}
	if l.killed {
		o.GiveUp = ctx.Done()
	}
	o.Show = func(s Snapshot) {
		if s.Unwritten == nil && !dead() {
			tr.flush()
		}
	}
	if err := Run(ctx, f, o); err != nil && !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if dead() {
		tr.kill()
	}
}

// A month in virtual time, with outages, and a process that is killed, also while it closes days, and stopped.
func TestAMonthWithKills(t *testing.T) {
	const rate schedule.Rate = 0.05
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		draw := rand.New(rand.NewPCG(31, 4))
		s := &system{acks: true, delay: func(n int) time.Duration {
			switch {
			case n%2000 == 0:
				return -1
			case n%500 == 1:
				return 3*time.Second + 77
			}
			return 1234567 + time.Duration(n%1013)*1013
		}}
		tr := &truth{system: s, of: make(map[Period]*histogram.Histogram)}
		begun := time.Now()
		over, end := context.WithCancel(t.Context())
		defer end()
		go func() { // outages of the broker
			for over.Err() == nil {
				until(over, time.Now().Add(time.Duration(draw.Int64N(int64(20*time.Hour)))))
				if draw.IntN(2) == 0 {
					s.set(errDown, false)
				} else {
					s.set(nil, true)
				}
				until(over, time.Now().Add(time.Duration(draw.Int64N(int64(10*time.Minute)))+time.Second))
				s.set(nil, false)
			}
		}()
		lives := rand.New(rand.NewPCG(31, 5))
		o := Options{Config: config(rate), Open: s.open, Flush: 10 * time.Minute, engine: light, Say: func(string) {}}
		var away time.Duration
		var least, most uint64
		files, bytes := 0, int64(0)
		for n := 0; time.Since(begun) < 31*24*time.Hour+30*time.Minute; n++ {
			l := life{long: time.Duration(lives.Int64N(int64(30 * time.Hour))), killed: n%5 != 0}
			if n%7 == 3 {
				l.at = days
			}
			if from := tr.flushed; !from.IsZero() {
				l.live(t, dir, tr, o)
			} else {
				life{long: 10 * time.Hour}.live(t, dir, tr, o)
			}
			if n > 2 {
				h := heap()
				least, most = min(h, max(least, h/2)), max(most, h)
				if n == 3 {
					least = h
				}
			}
			now, held := size(t, dir)
			files, bytes = max(files, now), max(bytes, held)
			from := tr.flushed
			time.Sleep(time.Duration(lives.Int64N(int64(2 * time.Hour))))
			away += time.Since(from)
		}
		life{long: time.Hour + time.Minute}.live(t, dir, tr, o)
		end()
		compareWith(t, dir, tr, begun, away, rate)
		t.Logf("%d files and %d B at most; heap %d to %d B; %d messages sent in %d turns", files, bytes, least, most, s.sent, len(s.began))
		if files > 3+2*(26+32+2) || bytes > 2<<20 || most > least+8<<20 || s.maxAlive > 4 {
			t.Errorf("%d files, %d B, heap of %d to %d B, %d connections at once: not bounded", files, bytes, least, most, s.maxAlive)
		}
	})
}

// compareWith compares a folder with the truth.
func compareWith(t *testing.T, dir string, tr *truth, begun time.Time, away time.Duration, rate schedule.Rate) {
	t.Helper()
	all, err := entries(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[Period]entry)
	var due, unmeasured int64
	var gaps time.Duration
	for _, e := range all {
		p := e.Period.Month()
		if got[p].Book == nil {
			got[p] = entry{newBook(p), NewHistograms()}
		}
		got[p].Add(e.Book)
		if err := got[p].Merge(e.Histograms); err != nil {
			t.Fatal(err)
		}
	}
	for p, e := range got {
		l := e.Ledger
		if err := l.Check(); err != nil {
			t.Errorf("%s: %v", p, err)
		}
		if n := e.Histograms[Response].Count(); n != l.Done || n != e.Histograms[Service].Count() {
			t.Errorf("%s: %d values in the log, %d done", p, n, l.Done)
		}
		want := tr.of[p]
		if want == nil || want.Encode() != e.Histograms[Response].Encode() || want.Min() != e.Histograms[Response].Min() || want.Max() != e.Histograms[Response].Max() {
			t.Errorf("%s: the log differs from what came back: %d values, want %d; max %v, want %v", p, l.Done, want.Count(), e.Histograms[Response].Max(), want.Max())
		}
		if e.Acks.Acked == 0 || e.Acks.Missing > l.Lost || e.Acks.Acked != e.Acks.Delivered+e.Acks.Missing {
			t.Errorf("%s: acknowledgements %+v of %+v", p, e.Acks, l)
		}
		due, unmeasured = due+l.Due, unmeasured+e.NotMeasured
		for _, g := range e.Gaps {
			gaps += g.To.Sub(g.From)
		}
		t.Logf("%s: %+v, %d not measured, %d gaps, %d outages, %+v", p, l, e.NotMeasured, len(e.Gaps), len(e.Outages), e.Acks)
	}
	spans := int64(len(tr.began))
	if elapsed := time.Since(begun).Seconds() * float64(rate); float64(due+unmeasured) < elapsed-float64(spans) || float64(due+unmeasured) > elapsed+float64(spans) {
		t.Errorf("%d due and %d not measured; by the clock %.0f", due, unmeasured, elapsed)
	}
	if gaps < away || gaps > away+time.Duration(spans)*time.Second {
		t.Errorf("gaps of %v, want %v", gaps, away)
	}
}
