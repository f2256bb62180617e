package source

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// Sums are the sums of a log's intervals by tag.
type Sums struct {
	Head
	tags map[string]*Total
}

// A Total is the sum of the intervals of one tag.
type Total struct {
	histogram.Sum
	Intervals int
	From, To  time.Duration // from Head.Start: where the first began and the last ended
}

func (t *Total) add(e histogram.Entry) error {
	if t.Intervals == 0 {
		t.From = e.Start
	}
	t.Intervals++
	t.From, t.To = min(t.From, e.Start), max(t.To, e.Start+e.Length)
	if err := t.Add(e.Histogram); err != nil {
		return fmt.Errorf("%w (tag %q at %v)", err, e.Tag, e.Start)
	}
	return nil
}

// Sums reads the log of a cell or a file. The intervals of one tag must be of the
// same precision.
func (s Source) Sums() (Sums, error) {
	sums := Sums{tags: make(map[string]*Total)}
	var err error
	bytes := 0
	sums.Head, err = s.Intervals(func(e histogram.Entry) error {
		if sums.tags[e.Tag] == nil {
			sums.tags[e.Tag] = new(Total)
		}
		total := sums.tags[e.Tag]
		bytes -= total.Bytes()
		err := total.add(e)
		if bytes += total.Bytes(); bytes > mostBytes {
			return fmt.Errorf("its %d tags need more than %d MiB of memory, the limit for a log", len(sums.tags), mostBytes>>20)
		}
		return err
	})
	return sums, err
}

// mostBytes limits the memory for the sums of a log's tags: about 470 tags of a log that
// brokerbench wrote.
const mostBytes = 128 << 20

// Tags returns the tags of the log, sorted.
func (s Sums) Tags() []string { return slices.Sorted(maps.Keys(s.tags)) }

// Choose returns the sum under the tag that [ChooseTag] chooses.
func (s Sums) Choose(asked string) (total *Total, tag string, err error) {
	tag, err = ChooseTag(asked, s.Tags())
	return s.tags[tag], tag, err
}

// Nothing returns the total of no intervals.
func Nothing() *Total {
	t := new(Total)
	_ = t.Add(histogram.New()) // an empty sum takes everything
	return t
}

// Unanswered reports whether a source is a cell without a single reply, whose log therefore has no
// intervals of response times.
func (s Source) Unanswered(tag string) bool {
	return s.Cell != nil && s.Cell.Ledger.Done == 0 && (tag == "" || tag == Response)
}

// ReadTable reads the percentile table of a cell for a tag, such as response, service or
// corrected.
func (s Source) ReadTable(tag string) (histogram.Percentiles, error) {
	for _, name := range []string{results.ResponseFile, results.ServiceFile, results.CorrectedFile, results.AckFile, results.CompleteFile, results.PublishedFile, results.OutwardFile, results.BackFile, results.EchoFile} {
		if has, _ := tagOf(name); has != tag {
			continue
		}
		found, err := file(filepath.Join(s.Path, name))
		if err != nil || found.Table == nil {
			return histogram.Percentiles{}, err
		}
		return *found.Table, nil
	}
	return histogram.Percentiles{}, fmt.Errorf("%s: %w as %q in a separate file", s.Path, ErrTag, tag)
}
