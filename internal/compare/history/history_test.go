package history

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// cell returns a cell of a target whose percentiles are all ms.
func cell(target string, ms float64, change ...func(*results.Cell)) *results.Cell {
	c := &results.Cell{
		Plan: plan.Cell{
			Target: plan.Target{Name: target}, Shape: plan.Shape{Rate: 1000, Size: 1024, Connections: 1, Arrivals: schedule.Constant},
			Settings: plan.Settings{Duration: 30 * time.Second, Warmup: 5 * time.Second}, Repeat: 1,
		},
		Broker: results.Broker{Product: "NATS", Version: "2.10"}, OfferedPerS: 1000, ReachedPerS: 1000, Verdict: results.Valid,
		Ledger: results.Ledger{Due: 30_000, Done: 30_000},
	}
	for _, p := range results.Percentiles() {
		ns := int64(ms * 1e6)
		c.Response.Percentiles = append(c.Response.Percentiles, results.Percentile{Percentile: p, ValueNS: &ns, SamplesAbove: int64(30_000 * (1 - p/100)), Trusted: p != 99.99})
		c.Response.Count, c.Response.MinNS, c.Response.MaxNS = 30_000, ns, ns
	}
	for _, f := range change {
		f(c)
	}
	c.ID = c.Plan.ID()
	return c
}

// night returns a run of the n-th night.
func night(n int, cells ...*results.Cell) *compare.Set {
	at := time.Date(2026, 10, 1+n, 3, 0, 0, 0, time.UTC)
	s := &compare.Set{Dir: fmt.Sprintf("results/%s-nightly", at.Format("20060102-150405")), Run: results.Run{Name: "nightly", Started: at}}
	for _, c := range cells {
		c.Started = at
		s.Trials = append(s.Trials, compare.Trial{Dir: s.Dir, Cell: c})
	}
	return s
}

// wobble is what varies from night to night, without a pattern, at most 3 %.
func wobble(n int) float64 { return 1 + 0.03*math.Sin(float64(n*n)*1.7) }

// nights returns runs of one cell, the n-th of ms(n).
func nights(runs int, ms func(n int) float64, change ...func(*results.Cell)) (list []*compare.Set) {
	for n := range runs {
		list = append(list, night(n, cell("nats", ms(n)*wobble(n), change...)))
	}
	return list
}

func made(t *testing.T, runs []*compare.Set, o Options) *History {
	t.Helper()
	h, err := New(runs, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// metric returns a series of the first cell.
func metricOf(t *testing.T, h *History, name string) Metric {
	t.Helper()
	for _, m := range h.Cells[0].Metrics {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no %s", name)
	return Metric{}
}

func step1(at int) func(int) float64 {
	return func(n int) float64 {
		if n >= at {
			return 1.3
		}
		return 1
	}
}

func TestAStepIsFound(t *testing.T) {
	h := made(t, nights(24, step1(12)), Options{})
	m := metricOf(t, h, "p99")
	if m.Answer != Changed || len(m.Changes) != 1 {
		t.Fatalf("%+v", m)
	}
	c := m.Changes[0]
	if c.Run != 12 || !c.Worse || c.Alarm || math.Abs(c.After/c.Before-1.3) > 0.03 || c.RunsBefore != 12 || c.RunsAfter != 12 || c.P > 0.01 {
		t.Errorf("%+v", c)
	}
	if got := metricOf(t, h, "loss"); got.Answer != NoChange {
		t.Errorf("loss: %+v", got)
	}
}

// Runs of a series that do not change are the same as those of one that did: later.
func TestNoStepIsNone(t *testing.T) {
	for _, runs := range []int{8, 20, 60} {
		if m := metricOf(t, made(t, nights(runs, func(int) float64 { return 1 }), Options{}), "p50"); m.Answer != NoChange {
			t.Errorf("%d runs: %+v", runs, m)
		}
	}
}

// One odd run is none, wherever it is, however odd it is; nor are two.
func TestOddRunsAreNoChange(t *testing.T) {
	for _, odd := range [][]int{{0}, {10}, {23}, {22, 23}} {
		runs := nights(24, func(n int) float64 {
			for _, at := range odd {
				if n == at {
					return 50
				}
			}
			return 1
		})
		if m := metricOf(t, made(t, runs, Options{}), "p99"); m.Answer != NoChange {
			t.Errorf("%v: %+v", odd, m.Changes)
		}
	}
}

// What ended is found, too: two changes, of which one is for the better.
func TestAnEpisodeIsFound(t *testing.T) {
	runs := nights(50, func(n int) float64 {
		if n >= 20 && n < 30 {
			return 1.3
		}
		return 1
	})
	m := metricOf(t, made(t, runs, Options{}), "p50")
	if len(m.Changes) != 2 || m.Changes[0].Run != 20 || m.Changes[1].Run != 30 || !m.Changes[0].Worse || m.Changes[1].Worse {
		t.Errorf("%+v", m.Changes)
	}
}

func TestTooFewRuns(t *testing.T) {
	h := made(t, nights(7, step1(3)), Options{})
	if m := metricOf(t, h, "p50"); m.Answer != TooFew || h.Judged != 0 {
		t.Errorf("%+v", m)
	}
}

// A change for the worse in the newest runs is an alarm; one for the better, or an old
// one, is none.
func TestAlarm(t *testing.T) {
	better := func(n int) float64 { return 1 / step1(26)(n) }
	for _, c := range []struct {
		name   string
		ms     func(int) float64
		newest int
		want   bool
	}{
		{"new", step1(23), 0, true}, {"old", step1(15), 0, false}, {"not so old", step1(15), 15, true}, {"better", better, 0, false},
	} {
		h := made(t, nights(30, c.ms), Options{Newest: c.newest})
		if got := len(h.Alarms()) > 0; got != c.want {
			t.Errorf("%s: alarms %v, %+v", c.name, h.Alarms(), metricOf(t, h, "p99").Changes)
		}
	}
	if h, err := New(nights(30, step1(26)), Options{Newest: 2}); err == nil {
		t.Errorf("a change in the newest 2 runs: %+v", h.Alarms())
	}
}

// The runs before and after a change are compared for what else is different.
func TestAChangeNamesWhatDiffers(t *testing.T) {
	runs := nights(20, step1(10))
	for _, r := range runs[10:] {
		r.Trials[0].Cell.Broker.Version = "2.11"
	}
	c := metricOf(t, made(t, runs, Options{}), "p50").Changes[0]
	if len(c.Differs) != 1 || c.Differs[0].String() != "nats: version 2.10 against 2.11" {
		t.Errorf("%+v", c.Differs)
	}
}

// Repeats of a run are one value: that of all of them together, or none if one is INVALID.
func TestRepeatsAreOneValue(t *testing.T) {
	again := cell("nats", 4)
	again.Plan.Repeat = 2
	run := night(1, cell("nats", 1), again)
	h := made(t, []*compare.Set{run}, Options{})
	for name, want := range map[string]float64{"p50": 1e6, "p99": 4e6} {
		if v := metricOf(t, h, name).Values[0]; v == nil || math.Abs(*v-want) > 1 {
			t.Errorf("%s: %v, want %v", name, v, want)
		}
	}
	again.Verdict = results.Invalid
	h = made(t, []*compare.Set{run}, Options{})
	if v := metricOf(t, h, "p50").Values[0]; v != nil || len(h.LeftOut) != 1 || !strings.Contains(h.LeftOut[0].Reason, "INVALID in repeat 2") {
		t.Errorf("%v, %v", v, h.LeftOut)
	}
	if v := metricOf(t, h, "loss").Values[0]; v == nil || *v != 0 {
		t.Errorf("loss: %v", v)
	}
}

// What was measured otherwise is another series, and keeps a row of its own.
func TestIdentity(t *testing.T) {
	for name, change := range map[string]func(*results.Cell){
		"target": func(c *results.Cell) { c.Plan.Target.Name = "other" }, "product": func(c *results.Cell) { c.Broker.Product = "Redis" },
		"rate": func(c *results.Cell) { c.Plan.Shape.Rate = 1 }, "window": func(c *results.Cell) { c.Plan.Settings.Duration = time.Second },
	} {
		if h := made(t, []*compare.Set{night(1, cell("nats", 1)), night(2, cell("nats", 1, change))}, Options{}); len(h.Cells) != 2 {
			t.Errorf("%s: %d cells", name, len(h.Cells))
		}
	}
	version := func(c *results.Cell) { c.Broker.Version = "3" }
	if h := made(t, []*compare.Set{night(1, cell("nats", 1)), night(2, cell("nats", 1, version))}, Options{}); len(h.Cells) != 1 {
		t.Errorf("another version: %d cells", len(h.Cells))
	}
}

// The same runs give the same answer.
func TestTheSameAnswerTwice(t *testing.T) {
	a, b := made(t, nights(24, step1(20)), Options{}), made(t, nights(24, step1(20)), Options{})
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%+v and %+v", a, b)
	}
}

func TestFindAndRead(t *testing.T) {
	second := []time.Duration{time.Millisecond, 2 * time.Millisecond}
	one := resultstest.Write(t, "one", resultstest.Cell{Target: "nats", Rate: 100, Seconds: [][]time.Duration{second}})
	two := resultstest.Write(t, "two", resultstest.Cell{Target: "nats", Rate: 100, Seconds: [][]time.Duration{second}})
	out := t.TempDir()
	for name, dir := range map[string]string{"a": one, "b": two} {
		if err := os.Rename(dir, filepath.Join(out, name)); err != nil {
			t.Fatal(err)
		}
	}
	dirs, err := Find([]string{out, filepath.Join(out, "a")})
	if err != nil || len(dirs) != 2 {
		t.Fatalf("%v, %v", dirs, err)
	}
	if err := os.WriteFile(filepath.Join(out, "b", results.RunFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	runs, left := Read(dirs)
	if len(runs) != 1 || len(runs[0].Trials) != 1 || len(left) != 1 || left[0].Run != filepath.Join(out, "b") {
		t.Errorf("%d runs, left out %v", len(runs), left)
	}
	for _, path := range []string{t.TempDir(), "absent"} {
		if dirs, err := Find([]string{path}); err == nil {
			t.Errorf("%s: %v", path, dirs)
		}
	}
}

// JSON is read back as what was written; package report shows the same file.
func TestJSON(t *testing.T) {
	runs := nights(30, step1(26))
	for i, r := range runs {
		other := cell("kafka", 5*wobble(i+7), func(c *results.Cell) {
			if i >= 10 && i < 18 {
				c.Broker.Version, c.Ledger.Lost, c.Ledger.Done = "2.9", 300, 29_700
			}
			if i == 3 {
				c.Verdict = results.Invalid
			}
		})
		other.Started = r.Run.Started
		r.Trials = append(r.Trials, compare.Trial{Dir: r.Dir, Cell: other})
	}
	runs[29].Trials = append(runs[29].Trials, compare.Trial{Dir: runs[29].Dir, Cell: cell("redis", 1)})
	runs[29].Trials[2].Cell.Started = runs[29].Run.Started
	h := made(t, runs, Options{})
	text, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "history.json", string(text)+"\n")
	got := new(History)
	if err := json.Unmarshal(text, got); err != nil || !reflect.DeepEqual(got, h) {
		t.Errorf("%v: got %+v, want %+v", err, got, h)
	}
}
