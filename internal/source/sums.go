package source

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// A Total is the sum of the intervals of one tag of a log.
type Total struct {
	histogram.Sum
	Head

	Tag       string
	Intervals int
	From, To  time.Duration // from Head.Start: where the first began and the last ended
}

// Sum adds up the intervals of a log under the tag that [ChooseTag] chooses. They must be of the
// same precision. The sum of a cell without a single reply is [Nothing].
func (s Source) Sum(asked string) (*Total, error) {
	totals := make(map[string]*Total)
	bytes := 0
	head, err := s.Intervals(func(e histogram.Entry) error {
		if totals[e.Tag] == nil {
			totals[e.Tag] = &Total{Tag: e.Tag, From: e.Start}
		}
		total := totals[e.Tag]
		bytes -= total.Bytes()
		err := total.add(e)
		if bytes += total.Bytes(); bytes > mostBytes {
			return fmt.Errorf("its %d tags need more than %d MiB of memory, the limit for a log", len(totals), mostBytes>>20)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	tag, err := ChooseTag(asked, slices.Collect(maps.Keys(totals)))
	total := totals[tag]
	switch {
	case err != nil && s.Unanswered(asked):
		total = Nothing()
	case err != nil:
		return nil, fmt.Errorf("%s: %w", s.LogPath(), err)
	}
	total.Head = head
	return total, nil
}

// mostBytes limits the memory for the sums of a log's tags: about 470 tags of a log that
// brokerbench wrote.
const mostBytes = 128 << 20

func (t *Total) add(e histogram.Entry) error {
	t.Intervals++
	t.From, t.To = min(t.From, e.Start), max(t.To, e.Start+e.Length)
	if err := t.Add(e.Histogram); err != nil {
		return fmt.Errorf("%w (tag %q at %v)", err, e.Tag, e.Start)
	}
	return nil
}

// Nothing returns the sum of no response times.
func Nothing() *Total {
	t := &Total{Tag: Response}
	_ = t.Add(histogram.New()) // an empty sum takes everything
	return t
}

// Unanswered reports whether a source is a cell without a single reply, whose log therefore has no
// intervals of response times.
func (s Source) Unanswered(tag string) bool {
	return s.Cell != nil && s.Cell.Ledger.Done == 0 && (tag == "" || tag == Response)
}

// Mark sets the use of each percentile of d, and what limits it, to that of another distribution of
// the same messages. A percentile that has no use there stays as it is.
func Mark(d *results.Distribution, from results.Distribution) {
	for i := range d.Percentiles {
		row := &d.Percentiles[i]
		if as, ok := from.At(row.Percentile); ok && from.Count > 0 && as.Use != "" {
			row.Use, row.LimitedBy = as.Use, as.LimitedBy
		}
	}
}
