package verify

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// The tags of the series that are verified.
const (
	responseTag = "response"
	serviceTag  = "service"
	lagTag      = "lag"
	heldTag     = "held"
)

// A timing is a series that is verified.
type timing struct {
	tag         string
	direct      bool                         // it has only the messages that had a free slot
	percentiles []float64                    // to compare
	witnessed   func(*message) span          // where a value lies
	recorded    func(*message) time.Duration // what the record of the engine makes it
}

func timings() []timing {
	many, few := []float64{50, 75, 90, 99, 99.9, 99.99, 100}, []float64{50, 99, 100}
	return []timing{
		{responseTag, false, many, (*message).response, func(m *message) time.Duration { return m.op.Done - m.due }},
		{serviceTag, false, few, (*message).service, func(m *message) time.Duration { return m.op.Done - m.op.Sent }},
		{lagTag, true, few, (*message).lag, func(m *message) time.Duration { return m.op.Sent - m.due - m.op.Held }},
		{heldTag, true, few, (*message).heldUp, func(m *message) time.Duration { return m.op.Held }},
	}
}

// in returns the messages of the window that have a value in the series.
func (t timing) in(r *run) (list []*message) {
	for i := range r.window() {
		if m := &r.window()[i]; m.op != nil && (!t.direct || !m.op.Queued) {
			list = append(list, m)
		}
	}
	return list
}

// series are histograms by their tag.
type series map[string]*histogram.Histogram

func newSeries() series {
	s := make(series)
	for _, t := range timings() {
		s[t.tag] = histogram.New()
	}
	return s
}

func readSeries(folder *results.CellFolder, c *results.Cell) (series, error) {
	s := newSeries()
	_, err := source.Source{Path: folder.Dir(), Cell: c}.Intervals(func(e histogram.Entry) error {
		if h := s[e.Tag]; h != nil {
			return h.Merge(e.Histogram)
		}
		return nil
	})
	return s, err
}

// recorded makes the rows that compare the histograms, as the interval log has
// them, with the records of the engine, bucket by bucket. They are exact.
func (r *run) recorded() (rows []Row) {
	for _, t := range timings() {
		want := histogram.New()
		for _, m := range t.in(r) {
			want.Record(t.recorded(m))
		}
		rows = append(rows, buckets(t.tag, want, r.reported[t.tag]))
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

// digits is what a value may lose in a histogram: a thousandth.
const digits = 1000

// distributions makes the rows of all percentiles. If each message lies between two times, each
// percentile lies between the percentiles of these times: whatever noise there is, is in both.
func (r *run) distributions(ideal prediction) (rows []Row) {
	for _, t := range timings() {
		var low, high []time.Duration
		for _, m := range t.in(r) {
			s := t.witnessed(m)
			low, high = append(low, s.from), append(high, s.to)
		}
		total := len(low)
		if !t.direct {
			total = len(r.window())
		}
		from, to := newPrediction(low, total), newPrediction(high, total)
		for _, p := range t.percentiles {
			at, _ := r.result.Series(t.tag).At(p)
			row := Row{Name: rowName(t.tag, p), Unit: "ns", From: from.ns(p), To: to.ns(p), Measured: at.ValueNS}
			if t.tag == responseTag {
				row.Ideal = ideal.ns(p)
			}
			rows = append(rows, row.rounded())
		}
		if t.tag == responseTag && total > 0 {
			rows = append(rows, Row{
				Name: "mean", Unit: "ns", Ideal: new(int64(ideal.Mean())), From: new(int64(from.Mean())), To: new(int64(to.Mean())), Measured: &r.result.Response.MeanNS,
			}.rounded())
		}
	}
	return rows
}

// rounded judges a value that was in a histogram.
func (r Row) rounded() Row {
	slack := int64(grain)
	if r.To != nil {
		slack += *r.To / digits
	}
	return r.judged(slack)
}

func rowName(series string, percentile float64) string {
	name := fmt.Sprintf("p%v", percentile)
	if percentile == 100 {
		name = "max"
	}
	if series != responseTag {
		name = series + " " + name
	}
	return name
}
