package measure

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

func TestFreezeThroughTheHistograms(t *testing.T) {
	system := loopback.Config{Delay: ms, Freezes: []loopback.Freeze{{At: 6 * time.Second, For: time.Second}}}
	c := virtual(t, system, cellOf(1000, 10*time.Second), Options{})
	if want := (results.Ledger{Due: 10_000, Done: 10_000}); c.Ledger != want || c.Verdict != results.Valid {
		t.Errorf("ledger %+v, %s %v", c.Ledger, c.Verdict, c.Problems)
	}
	wantNear(t, c.Response, 50, ms)
	wantNear(t, c.Response, 95, 500*ms)
	wantNear(t, c.Response, 99, 900*ms)
	wantNear(t, c.Response, 100, time.Second)
	if c.WarmupLedger.Due != 1000 || c.OfferedPerS != 1000 {
		t.Errorf("warm-up %+v, offered %v/s", c.WarmupLedger, c.OfferedPerS)
	}
}

// With one op in flight the service time sees the freeze once, and the
// correction fills in what the response knows anyway.
func TestOneInFlightIsCorrectedForComparison(t *testing.T) {
	system := loopback.Config{Delay: ms, Freezes: []loopback.Freeze{{At: 6 * time.Second, For: time.Second}}}
	cell := cellOf(100, 10*time.Second)
	cell.Shape.InFlight = 1
	c := virtual(t, system, cell, Options{})
	wantNear(t, c.Service, 99, ms)
	if c.Corrected == nil {
		t.Fatal("no corrected distribution")
	}
	wantNear(t, *c.Corrected, 100, time.Second)
	if row, _ := c.Corrected.At(95); *row.ValueNS < int64(400*ms) {
		t.Errorf("corrected p95 = %v ns, want hundreds of ms", *row.ValueNS)
	}
}

func TestLossMakesPercentilesUnknown(t *testing.T) {
	c := virtual(t, loopback.Config{Delay: ms, Drop: 0.02}, cellOf(1000, 10*time.Second), Options{})
	if want := (results.Ledger{Due: 10_000, Done: 9800, Lost: 200}); c.Ledger != want {
		t.Errorf("ledger %+v, want %+v", c.Ledger, want)
	}
	if row, _ := c.Response.At(99); row.ValueNS != nil || row.Trusted {
		t.Errorf("p99 = %+v although 2 %% are lost", row)
	}
	wantNear(t, c.Response, 95, ms)
	if c.Verdict != results.Invalid || c.Problems[0].Code != results.CodeMissing {
		t.Errorf("%s %+v", c.Verdict, c.Problems)
	}
}

func TestFewSamplesAboveAreNotTrusted(t *testing.T) {
	c := virtual(t, loopback.Config{Delay: ms}, cellOf(1000, time.Second), Options{})
	for _, tt := range []struct {
		percentile float64
		above      int64
		trusted    bool
	}{{99, 10, true}, {99.9, 1, false}, {99.99, 0, false}, {100, 0, true}} {
		row, ok := c.Response.At(tt.percentile)
		if !ok || row.SamplesAbove != tt.above || row.Trusted != tt.trusted {
			t.Errorf("p%v: %+v, want %d above, trusted %v", tt.percentile, row, tt.above, tt.trusted)
		}
	}
}

func TestFilesAndProgress(t *testing.T) {
	store := newStore(t)
	cell := cellOf(100, 3*time.Second)
	cell.Shape.InFlight = 1
	cell.Target.URL = "x://user:secret@h"
	folder := newFolder(t, store, cell.ID())
	var progress []Progress
	redact := func(s string) string { return strings.ReplaceAll(s, "secret", "xxxxx") }
	c := virtual(t, loopback.Config{Delay: ms}, cell, Options{
		Folder: folder, Redact: redact, Progress: func(p Progress) { progress = append(progress, p) },
	})
	if last := progress[len(progress)-1]; len(progress) < 4 || last.Done != 300 {
		t.Errorf("%d reports, the last %+v", len(progress), last)
	}
	stored, err := store.Cell(cell.ID()).Read()
	if err != nil || stored.Ledger != c.Ledger || stored.Plan.Target.URL != "x://user:xxxxx@h" {
		t.Errorf("cell.json: %+v, %v", stored, err)
	}
	for _, name := range []string{results.ResponseFile, results.ServiceFile, results.CorrectedFile} {
		if text, err := os.ReadFile(filepath.Join(folder.Dir(), name)); err != nil || !strings.Contains(string(text), "#[Max") {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantLog(t, folder, map[string]int64{"response": 300, "service": 300, "lag": 300, "held": 300, "warmup": 100})
}

func TestInterruptionKeepsWhatWasMeasured(t *testing.T) {
	f, err := loopback.New(loopback.Config{Delay: ms})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		c, err := judged(ctx, f, cellOf(100, time.Minute), Options{NewWaiter: load.SleepWaiter})
		if err != nil {
			t.Fatal(err)
		}
		if !c.Interrupted || c.Verdict != results.Valid || c.Ledger.Missing() != 0 || c.Ledger.Due < 190 || c.Ledger.Due > 210 {
			t.Errorf("interrupted %v, %s, ledger %+v", c.Interrupted, c.Verdict, c.Ledger)
		}
		// The op that is due at the very moment may count or not: 1 of some 200.
		if math.Abs(c.OfferedPerS-100) > 1.5 {
			t.Errorf("offered %v/s, want 100/s until the interruption", c.OfferedPerS)
		}
	})
}

func TestSmallestMessageHoldsAStamp(t *testing.T) {
	if plan.MinSize != requester.StampSize {
		t.Errorf("a plan allows %d B and a stamp takes %d B", plan.MinSize, requester.StampSize)
	}
}

// A target that loses half of the messages and answers the others at once is not slow.
func TestLossIsNoOverload(t *testing.T) {
	c := virtual(t, loopback.Config{Delay: ms, Drop: 0.5}, cellOf(1000, 10*time.Second), Options{})
	if p, found := c.Problem(results.CodeRate); found {
		t.Errorf("%+v", p)
	}
	if _, found := c.Problem(results.CodeMissing); !found {
		t.Errorf("%d of %d are missing, and no problem says so", c.Ledger.Missing(), c.Ledger.Due)
	}
}
