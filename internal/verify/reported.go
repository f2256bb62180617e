package verify

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// The series that are verified, by their tags in the interval log.
const (
	responseTag = "response"
	serviceTag  = "service"
	lagTag      = "lag"
	heldTag     = "held"
)

// series are histograms by their tag.
type series map[string]*histogram.Histogram

func newSeries() series {
	return series{responseTag: histogram.New(), serviceTag: histogram.New(), lagTag: histogram.New(), heldTag: histogram.New()}
}

// readSeries adds up the interval log of a cell.
func readSeries(folder *results.CellFolder) (s series, err error) {
	file, err := folder.OpenIntervals()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	s = newSeries()
	log := histogram.NewLogReader(file)
	for {
		entry, err := log.Next()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		if h := s[entry.Tag]; h != nil {
			if err := h.Merge(entry.Histogram); err != nil {
				return nil, err
			}
		}
	}
}

// recorded makes the rows that compare the histograms, as the interval log has
// them, with the records of the engine, bucket by bucket. They are exact.
func (r *run) recorded() []Row {
	want := newSeries()
	for i := range r.window() {
		m := &r.window()[i]
		if m.op == nil {
			continue
		}
		want[responseTag].Record(m.op.Done - m.due)
		want[serviceTag].Record(m.op.Done - m.op.Sent)
		if !m.op.Queued {
			want[lagTag].Record(m.op.Sent - m.due - m.op.Held)
			want[heldTag].Record(m.op.Held)
		}
	}
	var rows []Row
	for _, tag := range []string{responseTag, serviceTag, lagTag, heldTag} {
		rows = append(rows, buckets(tag, want[tag], r.reported[tag]))
	}
	return rows
}

// buckets makes a row of how many messages are in another bucket than they should.
func buckets(tag string, want, got *histogram.Histogram) Row {
	counts := make(map[time.Duration]int64)
	for highest, n := range got.Buckets() {
		counts[highest] = n
	}
	var wrong, most int64
	var at time.Duration
	differ := func(highest time.Duration, difference int64) {
		difference = max(difference, -difference)
		if wrong += difference; difference > most {
			most, at = difference, highest
		}
	}
	for highest, n := range want.Buckets() {
		differ(highest, counts[highest]-n)
		delete(counts, highest)
	}
	for highest, n := range counts {
		differ(highest, n)
	}
	row := count(tag+", bucket by bucket", 0, 0, wrong)
	if !row.Agrees {
		row.Where = fmt.Sprintf("the worst is the bucket up to %v, by %d messages", at, most)
	}
	return row
}
