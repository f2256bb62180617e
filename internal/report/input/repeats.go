package input

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// Repeats puts the repeats of each cell of a run together, in the order of the first.
// What else there is, and a source that is named twice, stands alone.
func Repeats(sources []source.Source) (groups [][]source.Source) {
	at := make(map[string]int)
	for _, s := range sources {
		key := s.Path
		if s.Cell != nil {
			key = strings.Join([]string{s.Run, s.Tag, s.Cell.Plan.Target.URL, s.Cell.Plan.SharedID()}, "|")
		}
		i, found := at[key]
		twice := found && slices.ContainsFunc(groups[i], func(other source.Source) bool { return other.Path == s.Path })
		if s.Cell == nil || s.Run == "" || s.Tag == source.Corrected || !found || twice {
			at[key] = len(groups)
			groups = append(groups, []source.Source{s})
			continue
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

// Names returns a name for each group of [Repeats], and what all have in common: see
// [source.Names].
func Names(groups [][]source.Source) (names []string, common string) {
	firsts := make([]source.Source, len(groups))
	for i, g := range groups {
		if firsts[i] = g[0]; len(g) > 1 {
			c := *g[0].Cell
			c.Plan.Repeat = 0
			firsts[i].Cell = &c
		}
	}
	return source.Names(firsts)
}

// worst returns the worst verdict of cells; "" of files.
func worst(repeats []source.Source) (verdict results.Verdict) {
	for _, s := range repeats {
		if s.Cell != nil && (verdict == "" || s.Cell.Verdict.Worse(verdict)) {
			verdict = s.Cell.Verdict
		}
	}
	return verdict
}

func cellsOf(repeats []source.Source) (cells []*results.Cell) {
	for _, s := range repeats {
		cells = append(cells, s.Cell)
	}
	return cells
}

// whole leaves out interrupted repeats, unless all are.
func whole(repeats []source.Source) []source.Source {
	if len(repeats) < 2 {
		return repeats
	}
	return results.Whole(repeats, func(s source.Source) *results.Cell { return s.Cell })
}

// A sum is repeats added up, bucket by bucket: percentiles are never averaged. What limits them is
// that of [results.Pooled].
type sum struct {
	results.Distribution
	all  *histogram.Histogram
	each []results.Distribution
}

// sumOf adds up the logs of repeats under a tag.
func sumOf(repeats []source.Source, tag string) (*sum, error) {
	total, missing := source.Nothing(), int64(0)
	s := new(sum)
	var judged []results.Distribution
	for _, r := range repeats {
		judged = append(judged, r.Cell.Series(tag))
		h, err := logged(r, tag)
		if err != nil {
			return nil, err
		}
		if err := total.Add(h); err != nil {
			return nil, fmt.Errorf("%s: %w", r.LogPath(), err)
		}
		d, _ := distributionOf(r.Cell, tag)
		missing += d.Missing
		s.each = append(s.each, results.RanksOf(h, d.Missing))
	}
	s.all = total.Histogram()
	s.Distribution = results.NewDistribution(s.all, missing)
	source.Mark(&s.Distribution, results.Pooled(judged))
	return s, nil
}

// logged returns the sum of a cell's log under a tag. It is empty if the cell has no value.
func logged(s source.Source, tag string) (*histogram.Histogram, error) {
	total, err := s.Sum(tag)
	if errors.Is(err, source.ErrTag) && s.Cell.Series(tag).Count == 0 {
		return source.Nothing().Histogram(), nil
	}
	if err != nil {
		return nil, err
	}
	return total.Histogram(), nil
}

// spread returns the lowest and the highest value of a percentile, if each
// distribution has one that is not its maximum.
func spread(each []results.Distribution, percentile float64) (low, high time.Duration, known bool) {
	for i, d := range each {
		row, _ := d.At(percentile)
		v, known := row.Value()
		if !known || row.SamplesAbove < 1 {
			return 0, 0, false
		}
		if i == 0 {
			low = v
		}
		low, high = min(low, v), max(high, v)
	}
	return low, high, len(each) > 0
}

// ofRepeats reads the curve of all repeats together. Its band is how they differ.
func (c *Curve) ofRepeats(repeats []source.Source) error {
	s, err := sumOf(repeats, c.Tag)
	if err != nil {
		return err
	}
	c.Line, c.Beyond = lineOf(s.all, s.Count+s.Missing), s.Missing > 0
	c.distribution(s.Distribution)
	for _, row := range s.Percentiles {
		if p, known := pointOf(row); known {
			if p.Low, p.High, known = spread(s.each, row.Percentile); known {
				c.Band = append(c.Band, p)
			}
		}
	}
	if c.Tag == source.Response {
		c.Floor = slowestFloor(repeats)
	}
	return nil
}
