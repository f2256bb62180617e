package measure

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/internal/sections"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A section is a part of the window of a cell whose rate changes. Its messages are those that are
// due in it, whenever they are done.
type section struct {
	cell      plan.Cell
	window    record.Window
	recording recording
	analysis  Analysis // nil: none
}

// newSections returns the sections of a cell, which also add to the whole; none at a rate that
// does not change. Their recorders have a single shard: there are as many as sections.
func newSections(s *session, whole *recording) (list []*section) {
	for _, cell := range s.cell.Sections() {
		one := &section{cell: cell, window: record.WindowOf(cell.Settings), recording: recording{
			recorder: &recorder{Recorder: histogram.NewRecorder(record.Required, 1)},
			totals:   record.NewHistograms(), current: record.NewHistograms(), fresh: record.NewHistograms(), whole: whole,
		}}
		if s.o.Analyses != nil {
			one.analysis = s.o.Analyses(cell)
		}
		list = append(list, one)
		whole.recorder.ends = append(whole.recorder.ends, one.window.To)
		whole.recorder.sections = append(whole.recorder.sections, one.recording.recorder.Recorder)
	}
	return list
}

// of returns the histograms of a message of the window: those of its section, if there are any.
func (r *recorder) of(due time.Duration) *histogram.Recorder {
	if r.sections == nil {
		return r.Recorder
	}
	return r.sections[r.ends.At(due)]
}

// takeSections takes the current interval of each section. As in the whole window, messages of a
// section that has hardly begun belong to its next interval.
func (in *intervals) takeSections(to, hiccup time.Duration) {
	for i, s := range in.sections {
		if s.window.Before(in.from, to) {
			continue
		}
		current := s.recording.current
		for series, h := range current {
			if h != nil && h.Count() > 0 {
				in.log.Write(record.SectionTag(record.Tags[series], i+1), in.from, to, h)
				in.pacer.pause()
			}
		}
		if s.analysis != nil {
			s.analysis.Interval(record.Interval{From: in.from, To: to, Histograms: current, Hiccup: hiccup}, in.pacer.pause)
		}
		current.Reset()
	}
}

// at returns the section that is under way at an offset; nil without sections.
func (in *intervals) at(to time.Duration) (at *section) {
	for _, s := range in.sections {
		if at == nil || s.window.From < to {
			at = s
		}
	}
	return at
}

// finishSections gives the cell its sections, each with its verdict and its files.
func (s *session) finishSections(c *results.Cell, out load.Outcome) (err error) {
	for i, one := range s.sections {
		o, totals := sectionOf(out, i, one.window.To), one.recording.totals
		sc := record.Result(one.cell, one.cell.ID(), o, totals, s.o.Redact)
		sections.Complete(sc, c)
		if one.analysis != nil {
			err = errors.Join(err, one.analysis.Finish(sc, Raw{o, totals, s.audit.missing()}))
		}
		if s.o.Folder != nil {
			folder, folderErr := sections.CreateFolder(s.o.Folder.Dir(), i+1)
			if folderErr == nil {
				folderErr = s.o.Room(context.Background(), func() error { return record.Save(folder, sc, totals, nil) })
			}
			err = errors.Join(err, folderErr)
		}
		c.Floor = cmp.Or(c.Floor, sc.Floor)
		sections.Keep(c, sc)
	}
	sections.Sum(c)
	return err
}

// sectionOf returns the outcome of a section that ends then.
func sectionOf(out load.Outcome, i int, end time.Duration) load.Outcome {
	a := out.Sections[i]
	out.Window, out.AckLedger, out.FirstDone, out.LastDone = a.Ledger, a.AckLedger, a.FirstDone, a.LastDone
	out.Interrupted = out.Interrupted && out.DueTill < end
	out.DueTill, out.Sections = min(out.DueTill, end), nil
	return out
}
