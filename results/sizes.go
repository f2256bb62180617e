package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A SizeResult is the result of the messages of one of several sizes.
type SizeResult struct {
	Bytes    int           `json:"bytes"`
	Share    string        `json:"share"` // its weight, such as 90%
	Ledger   Ledger        `json:"ledger"`
	Response Distribution  `json:"response"`
	Service  Distribution  `json:"service"`
	Ack      *Distribution `json:"ack,omitempty"` // only of systems that acknowledge
	Complete *Distribution `json:"complete,omitempty"`
	First    *Distribution `json:"first,omitempty"` // only with groups of consumers
	Each     *Distribution `json:"each,omitempty"`
	SLOs     []SLO         `json:"slos,omitempty"` // the outcomes of the plan's objectives for this size
}

// sizeMark separates a series from the number of its size, counted from 1.
const sizeMark = "-size"

// OfSize returns the name of a series of one of several sizes, counted from 0, the smallest, as it is
// in files: response-size1.
func OfSize(series string, class int) string { return fmt.Sprintf("%s%s%d", series, sizeMark, class+1) }

// ofSize returns the distribution of a series of one size; nil if there is none.
func (c *Cell) ofSize(name string) (d *Distribution, is bool) {
	series, number, is := strings.Cut(name, sizeMark)
	class, err := strconv.Atoi(number)
	if !is || err != nil || class < 1 || class > len(c.Sizes) {
		return nil, is
	}
	s := &c.Sizes[class-1]
	return map[string]*Distribution{"response": &s.Response, "service": &s.Service, "ack": s.Ack, "complete": s.Complete, "first": s.First, "each": s.Each}[series], true
}

// BySize returns the cell, or for several sizes a cell for each, the smallest first: the messages of
// one size alone. It shares what is known only of all sizes together: times of the generator, floor,
// usage, verdict and problems.
func (c *Cell) BySize() []*Cell {
	if len(c.Sizes) == 0 {
		return []*Cell{c}
	}
	var list []*Cell
	for i, shape := range c.Plan.Shape.BySize() {
		one, s := *c, c.Sizes[i]
		one.Plan.Shape, one.Sizes, one.OfSize, one.Whole = shape, nil, i+1, c
		one.ID, one.SLOs = OfSize(c.ID, i), s.SLOs
		one.Ledger, one.Response, one.Service, one.Ack, one.Complete = s.Ledger, s.Response, s.Service, s.Ack, s.Complete
		one.First, one.Each = s.First, s.Each
		share := float64(s.Ledger.Due) / float64(max(c.Ledger.Due, 1))
		one.OfferedPerS, one.ReachedPerS = share*c.OfferedPerS, share*c.ReachedPerS
		one.Corrected, one.Published, one.Outward, one.Back = nil, nil, nil, nil
		list = append(list, &one)
	}
	return list
}

// Tag returns the tag of a series of the cell in the interval log, and the beginning of the name of
// its .hgrm.
func (c *Cell) Tag(series string) string {
	if c.OfSize == 0 || !slices.Contains(SizedSeries(), series) {
		return series
	}
	return OfSize(series, c.OfSize-1)
}

// SizedSeries returns the series that each size has.
func SizedSeries() []string {
	return []string{"response", "service", "ack", "complete", "first", "each"}
}

// BySize returns the cells, in place of one of several sizes a cell for each.
func BySize(cells []*Cell) (list []*Cell) {
	for _, c := range cells {
		list = append(list, c.BySize()...)
	}
	return list
}
