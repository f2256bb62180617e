package input

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// A Stack is the probes of a cell, or of its repeats together.
type Stack struct {
	Subject

	Probes []Probe // those that the cell has, in the order of results.Probes

	cells []*results.Cell
}

// A Probe is one distribution of a stack. All count from due.
type Probe struct {
	results.Probe
	results.Distribution

	Index int // in results.Probes
}

// NewStack reads the probes of a cell, or of several that are repeats of each other: their
// logs are added up.
func NewStack(repeats []source.Source, name string) (Stack, error) {
	repeats = whole(repeats)
	s := Stack{Subject: subjectOf(repeats, name), cells: cellsOf(repeats)}
	if i := slices.Index(s.cells, nil); i >= 0 {
		return s, fmt.Errorf("%s: %w: a file has no probes (want the folder of a run or of cells)", repeats[i].Path, ErrInput)
	}
	for i, p := range results.Probes() {
		d, ok, err := s.distribution(p, repeats)
		if err != nil {
			return s, err
		}
		if ok {
			s.Probes = append(s.Probes, Probe{p, d, i})
		}
	}
	return s, nil
}

// distribution returns the distribution of a probe, summed over repeats. Ok is false if a
// repeat does not have it.
func (s Stack) distribution(p results.Probe, repeats []source.Source) (d results.Distribution, ok bool, err error) {
	for _, c := range s.cells {
		if d, ok = c.Probe(p); !ok {
			return d, false, nil
		}
	}
	if len(s.cells) == 1 {
		return d, true, nil
	}
	sum, err := sumOf(repeats, p.Tag)
	if err != nil {
		return d, false, err
	}
	return sum.Distribution, true, nil
}

// Usable reports whether a percentile may be used.
func (p Probe) Usable(percentile float64) bool {
	row, _ := p.At(percentile)
	return row.Usable()
}

// End returns where the bar of a probe ends. A percentile that falls on missing messages is not
// known: of it the longest value is where the bar is at least.
func (p Probe) End(percentile float64) (at time.Duration, known bool) {
	row, _ := p.At(percentile)
	if v, known := row.Value(); known {
		return v, true
	}
	return time.Duration(p.MaxNS), false
}
