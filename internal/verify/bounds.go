package verify

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// digits is what a value may lose in a histogram: a thousandth.
const digits = 1000

// distribution makes the rows of one series' percentiles. If each message lies
// between two times, each percentile lies between the percentiles of these times:
// whatever noise there is, is in both.
func (r *run) distribution(name string, of func(*message) span, d results.Distribution, percentiles []float64, ideal prediction) []Row {
	var low, high []time.Duration
	for i := range r.window() {
		if m := &r.window()[i]; m.op != nil && (!direct(name) || !m.op.Queued) {
			s := of(m)
			low, high = append(low, s.from), append(high, s.to)
		}
	}
	total := int64(len(low))
	if !direct(name) {
		total = int64(len(r.window()))
	}
	from, to := newPrediction(low, total), newPrediction(high, total)
	var rows []Row
	for _, p := range percentiles {
		at, _ := d.At(p)
		row := Row{Name: rowName(name, p), Unit: "ns", From: from.ns(p), To: to.ns(p), Measured: at.ValueNS}
		if name == responseTag {
			row.Ideal = ideal.ns(p)
		}
		rows = append(rows, row.rounded())
	}
	if name == responseTag && total > 0 {
		rows = append(rows, Row{
			Name: "mean", Unit: "ns", Ideal: new(int64(ideal.Mean())), From: new(int64(from.Mean())), To: new(int64(to.Mean())), Measured: &d.MeanNS,
		}.rounded())
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

// distributions makes the rows of all percentiles.
func (r *run) distributions(ideal prediction) []Row {
	few := []float64{50, 99, 100}
	return slices.Concat(
		r.distribution(responseTag, (*message).response, r.result.Response, []float64{50, 75, 90, 99, 99.9, 99.99, 100}, ideal),
		r.distribution(serviceTag, (*message).service, r.result.Service, few, ideal),
		r.distribution(lagTag, (*message).lag, r.result.Lag, few, ideal),
		r.distribution(heldTag, (*message).heldUp, r.result.Held, few, ideal))
}

// direct tells whether a series has only the messages that had a free slot.
func direct(tag string) bool { return tag == lagTag || tag == heldTag }
