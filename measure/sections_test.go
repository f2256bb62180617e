package measure

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/sections"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// changingCell returns a cell whose rate changes, with a warm-up of a second.
func changingCell(t *testing.T, c schedule.Changes, traces ...plan.Trace) plan.Cell {
	t.Helper()
	cell := cellOf(1, 0)
	cell.Shape.Changes, cell.Shape.Connections, cell.Settings.Traces = c, 3, traces
	cell.Settings = cell.Settings.For(cell.Shape)
	cell.Shape.Rate = cell.Settings.MeanRate(c)
	if err := cell.Shape.Validate(); err != nil {
		t.Fatal(err)
	}
	return cell
}

// sectioned measures a cell in virtual time, with the verdicts of its sections.
func sectioned(t *testing.T, system loopback.Config, cell plan.Cell, o Options) *results.Cell {
	t.Helper()
	o.Analyses = verdictOf
	return virtually(t, system, cell, o, Cell)
}

// A system that is slow in one section shows it in that section alone, even where replies come
// after the section. The sections have all messages, and the whole has no percentile.
func TestASlowSectionIsSlowAlone(t *testing.T) {
	cell := changingCell(t, "step(100@5s,500@5s,100@5s)")
	store := newStore(t)
	folder := newFolder(t, store, cell.ID())
	slow := loopback.Config{Delay: ms, Slow: []loopback.Phase{{At: 6 * time.Second, For: 5 * time.Second, Delay: 1700 * ms}}}
	c := sectioned(t, slow, cell, Options{Folder: folder})
	var all results.Ledger
	for i, want := range []struct {
		due int64
		p50 time.Duration
	}{{500, ms}, {2500, 1700 * ms}, {500, ms}} {
		s := c.Sections[i]
		all.Add(s.Ledger)
		if s.Ledger != (results.Ledger{Due: want.due, Done: want.due}) || s.Response.Count != want.due || s.OfferedPerS != float64(want.due)/5 {
			t.Errorf("section %d: %+v, %d values, %v/s; want %d messages", i+1, s.Ledger, s.Response.Count, s.OfferedPerS, want.due)
		}
		for _, p := range []float64{50, 99} {
			wantNear(t, s.Response, p, want.p50)
		}
		if s.Response.MinNS != int64(want.p50) || s.Response.MaxNS != int64(want.p50) {
			t.Errorf("section %d: %v to %v, want %v", i+1, s.Response.MinNS, s.Response.MaxNS, want.p50)
		}
		if got := tableOf(t, sections.Folder(folder.Dir(), i+1)); got.Count != want.due {
			t.Errorf("section %d: %d values in its table", i+1, got.Count)
		}
	}
	if all != c.Ledger || len(c.Response.Percentiles) != 0 || c.Response.Histogram != "" || len(c.Service.Percentiles) != 0 {
		t.Errorf("the sections have %+v, the whole %+v; its response: %+v", all, c.Ledger, c.Response)
	}
	for _, e := range readLog(t, folder).Entries {
		if e.Tag == "response.s1" && e.Histogram.Max() > 2*ms || e.Tag == "response.s3" && e.Histogram.Max() > 2*ms {
			t.Errorf("%s at %v: %v", e.Tag, e.Start, e.Histogram.Max())
		}
	}
}

// What is lost in a section is missing there alone, and its verdict is the cell's.
func TestALossIsThatOfItsSection(t *testing.T) {
	lossy := loopback.Config{Slow: []loopback.Phase{{At: 7 * time.Second, For: 100 * ms, Delay: time.Hour}}}
	c := sectioned(t, lossy, changingCell(t, "step(100@5s,500@5s,100@5s)"), Options{})
	for i, s := range c.Sections {
		if want := map[bool]int64{true: 50}[i == 1]; s.Ledger.Lost != want || s.Response.Missing != want {
			t.Errorf("section %d: %d lost, %d missing; want %d", i+1, s.Ledger.Lost, s.Response.Missing, want)
		}
	}
	if c.Sections[0].Verdict != results.Valid || c.Sections[1].Verdict != results.Invalid || c.Verdict != results.Invalid {
		t.Errorf("verdicts %v and %v, the whole %v", c.Sections[0].Verdict, c.Sections[1].Verdict, c.Verdict)
	}
}

// A ramp's sections have the messages of its integral, at the rates of its sections.
func TestARampIsCutIntoSections(t *testing.T) {
	c := sectioned(t, loopback.Config{Delay: ms}, changingCell(t, "ramp(100..1000,10s)"), Options{})
	if len(c.Sections) != 10 || c.Ledger.Due != 5500 {
		t.Fatalf("%d sections, %+v", len(c.Sections), c.Ledger)
	}
	for i, s := range c.Sections {
		want := 100 + 90*(float64(i)+0.5)
		if math.Abs(float64(s.Ledger.Due)-want) > 1 || float64(s.Plan.Shape.Rate) != want || s.Steady != nil || s.Verdict != results.Valid {
			t.Errorf("section %d: %d due, rate %v, %v %+v; want %v", i+1, s.Ledger.Due, s.Plan.Shape.Rate, s.Verdict, s.Problems, want)
		}
	}
}

// A sectionVerdict judges a section as a run does.
type sectionVerdict struct{ *judge.Analysis }

func verdictOf(section plan.Cell) Analysis {
	return sectionVerdict{judge.New(section, judge.Environment{OS: "linux"}, nil)}
}

func (v sectionVerdict) Finish(c *results.Cell, raw Raw) error {
	v.Describe(c, max(raw.DueTill-c.Plan.Settings.Warmup, 0))
	v.Judge(c)
	return nil
}

// tableOf reads the percentile table of the response of a section.
func tableOf(t *testing.T, folder *results.CellFolder) histogram.Percentiles {
	t.Helper()
	f, err := os.Open(filepath.Join(folder.Dir(), results.ResponseFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := histogram.ReadPercentiles(f)
	if err != nil {
		t.Fatal(err)
	}
	return table
}
