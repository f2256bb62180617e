// Package merge adds up the histograms of cells and interval logs, bucket by bucket, so that the
// percentiles of the sum are those of all values. Percentiles themselves cannot be added.
package merge

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// ErrInput is the error for sources that cannot be added without loss.
var ErrInput = errors.New("cannot be added")

// A Sum is several sources added up.
type Sum struct {
	Tag          string               `json:"tag"` // "" if there is none, or if they differ
	Parts        []Part               `json:"parts"`
	Distribution results.Distribution `json:"sum"` // of all values; missing messages rank above
	Notes        []string             `json:"notes,omitempty"`

	Start     time.Time            `json:"start"` // the beginning of the first interval
	End       time.Time            `json:"end"`   // the end of the last one
	Histogram *histogram.Histogram `json:"-"`
}

// WritePercentiles writes the sum as a .hgrm file, in milliseconds. It has no
// missing messages.
func (m *Sum) WritePercentiles(w io.Writer) error { return histogram.WritePercentiles(w, m.Histogram) }

// WriteLog writes the sum as an interval log with one interval, from the beginning of the first
// part to the end of the last. A sum of each second has no meaning for logs that were written
// at different times.
func (m *Sum) WriteLog(w io.Writer) error {
	return histogram.NewLogWriter(w, m.Start).Write(m.Tag, 0, m.End.Sub(m.Start), m.Histogram)
}

// A Part is one source of a sum.
type Part struct {
	Name         string               `json:"name"`
	Path         string               `json:"path"`
	Tag          string               `json:"tag"`
	Intervals    int                  `json:"intervals"`
	Verdict      results.Verdict      `json:"verdict,omitempty"` // of a cell
	Distribution results.Distribution `json:"distribution"`
}

// Add adds up the intervals that have a tag, by default response times. See
// [source.ChooseTag].
//
// Missing messages of cells are added up too, and rank above every value; a log of another tool
// does not count them. Values are as precise as the logs: the maximum is the upper bound of its
// bucket, at most 0.1 % above. What limits a percentile of cells limits that of their sum: see
// [results.Pooled].
func Add(sources []source.Source, tag string) (*Sum, error) {
	if err := checkSources(sources); err != nil {
		return nil, err
	}
	var total histogram.Sum
	var missing, clamped int64
	var judged []results.Distribution
	m := new(Sum)
	names, _ := source.Names(sources)
	for i, s := range sources {
		part, err := read(s, tag)
		if err != nil {
			return nil, err
		}
		if err := total.Add(part.h); err != nil {
			return nil, fmt.Errorf("%s: %w to %s without loss: %w", s.LogPath(), ErrInput, sources[0].LogPath(), err)
		}
		part.Name = names[i]
		m.Parts = append(m.Parts, part.Part)
		if m.Start.IsZero() || part.start.Before(m.Start) {
			m.Start = part.start
		}
		if part.end.After(m.End) {
			m.End = part.end
		}
		if s.Cell != nil {
			judged = append(judged, s.Cell.Series(part.Tag))
		}
		missing, clamped = missing+part.Distribution.Missing, clamped+part.Distribution.Clamped
	}
	m.Histogram = total.Histogram()
	m.Distribution = results.NewDistribution(m.Histogram, missing)
	m.Distribution.Clamped = clamped
	source.Mark(&m.Distribution, results.Pooled(judged))
	if !tagsDiffer(m.Parts) {
		m.Tag = m.Parts[0].Tag
	}
	m.Notes = notes(sources, m)
	return m, nil
}

// checkSources rejects sources without histograms, and those that would count twice.
func checkSources(sources []source.Source) error {
	seen := make(map[string]bool)
	for _, s := range sources {
		if first := sources[0].Cell; s.Cell != nil && first != nil && s.Cell.Plan.Shape.Section != first.Plan.Shape.Section {
			return fmt.Errorf("%s: %w to another section of a rate that changes: percentiles over several rates mean nothing (brokerbench report shows those of each section)", s.Path, ErrInput)
		}
		if s.Table != nil {
			return fmt.Errorf("%s: %w: percentiles are not histograms, and their sum is not that of the values "+
				"(name the interval log, .hlog, or the folder of the cell or run)", s.Path, ErrInput)
		}
		path, err := filepath.Abs(s.LogPath())
		if err == nil {
			if target, linkErr := filepath.EvalSymlinks(path); linkErr == nil {
				path = target
			}
		}
		if seen[path] {
			return fmt.Errorf("%s: %w twice (it is named twice, or lies in a folder that is named too)", s.Path, ErrInput)
		}
		seen[path] = true
	}
	return nil
}

// A logged is a part with its values, and the time in which they were recorded.
type logged struct {
	Part
	h          *histogram.Histogram
	start, end time.Time
}

// read adds up the intervals of one source.
func read(s source.Source, tag string) (p logged, err error) {
	total, err := s.Sum(cmp.Or(tag, s.Tag))
	if err != nil {
		return p, err
	}
	p.Part = Part{Path: s.Path, Tag: total.Tag, Intervals: total.Intervals}
	p.h, p.start, p.end = total.Histogram(), total.Start.Add(total.From), total.Start.Add(total.To)
	var missing, clamped int64
	if s.Cell != nil {
		p.Verdict = s.Cell.Verdict
		if missing, clamped, err = account(s, total.Tag, p.h.Count()); err != nil {
			return p, err
		}
	}
	p.Distribution = results.NewDistribution(p.h, missing)
	p.Distribution.Clamped = clamped
	if s.Cell != nil {
		source.Mark(&p.Distribution, s.Cell.Series(total.Tag))
	}
	return p, nil
}

// account returns how many messages of a cell have no value for a tag, and how many were clamped.
// It checks that the log has all others, since it may be truncated.
func account(s source.Source, tag string, values int64) (missing, clamped int64, err error) {
	ledger := s.Cell.Ledger
	switch tag {
	case source.Response:
		clamped = s.Cell.Response.Clamped
	case source.Service:
		clamped = s.Cell.Service.Clamped
	case source.Warmup:
		ledger = s.Cell.WarmupLedger
	default: // not every message has one
		return 0, 0, nil
	}
	if values != ledger.Done {
		return 0, 0, fmt.Errorf("%s: it holds %d values tagged %s, but %s counts %d: the log is incomplete, and its sum would be wrong "+
			"(name other cells, or the same log elsewhere to add what it has)", s.LogPath(), values, tag, results.CellFile, ledger.Done)
	}
	return ledger.Missing(), clamped, nil
}
