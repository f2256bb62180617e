package compare_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/results"
)

// seconds returns so many seconds of 100 responses each, around v.
func seconds(n int, v time.Duration) (list [][]time.Duration) {
	for i := range n {
		var second []time.Duration
		for j := range 100 {
			second = append(second, v+time.Duration((i*7+j*13)%50)*v/100)
		}
		list = append(list, second)
	}
	return list
}

func open(t *testing.T, dir string) *compare.Set {
	t.Helper()
	s, err := compare.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOpen(t *testing.T) {
	base := open(t, resultstest.Write(t, "before", resultstest.Cell{Target: "nats", Rate: 100, Seconds: seconds(30, time.Millisecond)}))
	next := open(t, resultstest.Write(t, "after", resultstest.Cell{Target: "nats", Rate: 100, Seconds: seconds(30, 2*time.Millisecond)}))
	c := compared(t, base, next, compare.Options{})
	if got := row(t, c.Pairs[0], 99); c.Pairs[0].Method != compare.OneASide || got.Answer != compare.RunsHigher || *got.Ratio < 1.9 || *got.Ratio > 2.1 {
		t.Errorf("%s: %+v", c.Pairs[0].Method, got)
	}
	if c.Base.Name != "before" || c.New.Name != "after" {
		t.Errorf("%v against %v", c.Base, c.New)
	}
	if got := compared(t, base, base, compare.Options{}).Pairs[0]; row(t, got, 50).Answer != compare.NoDifference {
		t.Errorf("with itself: %+v", got.Rows)
	}
}

// Logs are read only where there is no repeat.
func TestOpenWithRepeats(t *testing.T) {
	one := resultstest.Cell{Target: "nats", Rate: 100, Seconds: seconds(30, time.Millisecond)}
	again, other := one, one
	again.Repeat, other.Rate = 2, 200
	s := open(t, resultstest.Write(t, "x", one, again, other))
	for i, read := range []bool{false, false, true} {
		if got := s.Trials[i].Series != nil; got != read {
			t.Errorf("log of %s read: %v, want %v", s.Trials[i].Cell.ID, got, read)
		}
	}
}

// A log that lacks values, or is not there, cannot bound anything.
func TestOpenWithoutWholeLog(t *testing.T) {
	whole := resultstest.Cell{Target: "nats", Rate: 100, Seconds: seconds(30, time.Millisecond)}
	more := whole
	more.Change = func(c *results.Cell) { c.Response.Count++ }
	gone := resultstest.Write(t, "gone", whole)
	if err := os.Remove(filepath.Join(resultstest.Folder(t, gone, 0), results.IntervalsFile)); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{resultstest.Write(t, "more", more), gone} {
		c := compared(t, open(t, resultstest.Write(t, "whole", whole)), open(t, dir), compare.Options{})
		if got := row(t, c.Pairs[0], 50); got.Answer != compare.NotComparable || !strings.Contains(got.Reason, "no complete interval log") {
			t.Errorf("%s: %+v", dir, got)
		}
	}
}

// A second without a reply is not in the log, and counts as an interval: without it
// a stall would look as if it took no time.
func TestSilenceCounts(t *testing.T) {
	few := seconds(3, time.Millisecond)
	few[1] = nil
	silent := resultstest.Cell{Target: "nats", Rate: 100, Seconds: few, Change: func(c *results.Cell) { c.ElapsedNS = int64(3 * time.Second) }}
	short := silent
	short.Seconds, short.Change = few[:1], func(c *results.Cell) { c.ElapsedNS = int64(time.Second) }
	for _, c := range []struct {
		cell resultstest.Cell
		ok   bool
	}{{silent, true}, {short, false}} {
		_, ok := open(t, resultstest.Write(t, "x", c.cell)).Trials[0].Series.Interval(50, 0)
		if ok != c.ok {
			t.Errorf("%d seconds: an interval is known: %v, want %v", len(c.cell.Seconds), ok, c.ok)
		}
	}
}

func TestOpenMistakes(t *testing.T) {
	broken := resultstest.Write(t, "x", resultstest.Cell{Target: "nats", Rate: 100, Seconds: seconds(3, time.Millisecond)})
	path := filepath.Join(resultstest.Folder(t, broken, 0), "cell.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{broken, t.TempDir(), "absent"} {
		if s, err := compare.Open(dir); err == nil {
			t.Errorf("%s: %+v without an error", dir, s)
		}
	}
}
