package measure

import "github.com/brokerbench/brokerbench/histogram"

// The series of a cell: what is recorded of each message.
const (
	response = iota
	service
	lag
	held
	warmup // response times of the warm-up
	allSeries
)

// tags names the series in the interval log.
var tags = [allSeries]string{response: "response", service: "service", lag: "lag", held: "held", warmup: "warmup"}

// totals are histograms, one for each series.
type totals [allSeries]*histogram.Histogram

func newTotals() (t totals) {
	for s := range t {
		t[s] = histogram.New()
	}
	return t
}
