// Package input reads what charts show: percentile distributions, timelines, ladders of rates,
// probes and nodes, of the cells of a run or of files of other tools.
package input

import (
	"errors"

	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// ErrInput is the error of sources that a chart cannot show: too many, or of the
// wrong kind.
var ErrInput = errors.New("cannot be drawn")

// A Subject is what a line, a bar or a panel is about.
type Subject struct {
	Name    string
	Target  string          // it has a colour; of a file of another tool its path
	Verdict results.Verdict // the worst of its cells; "" of a file
	Events  []Event         // of a cell, or of the first of its repeats
}

// About returns the subject, of whatever has one.
func (s Subject) About() Subject { return s }

func subjectOf(repeats []source.Source, name string) Subject {
	return Subject{name, targetOf(repeats[0]), worst(repeats), eventsOf(repeats[0])}
}

// targetOf returns the name of a source's target. A file counts as a target.
func targetOf(s source.Source) string {
	if s.Cell == nil {
		return s.Path
	}
	return s.Cell.Plan.Target.Name
}
