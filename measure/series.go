package measure

import "github.com/brokerbench/brokerbench/histogram"

// The series of a cell: what is recorded of each message.
const (
	response = iota
	service
	lag
	held
	warmup // response times of the warm-up
	plainSeries

	// Of a system that acknowledges there are two more.
	ack      = plainSeries // acknowledged − due
	complete = ack + 1     // the later of acknowledged and done, − due

	// Of a client that tells when a message was on the socket there is one more.
	published = complete + 1 // Request returned − due

	// Of messages that an echo sent back there are two more, if its clock is known.
	outward   = published + 1 // received by the echo − due
	back      = outward + 1   // done − received by the echo
	allSeries = back + 1
)

// tags names the series in the interval log.
var tags = [allSeries]string{response: "response", service: "service", lag: "lag", held: "held", warmup: "warmup", ack: "ack", complete: "complete", published: "published", outward: "outward", back: "back"}

// totals are histograms, one for each series; nil for those that the system has not.
type totals [allSeries]*histogram.Histogram

func newTotals() (t totals) {
	for s := range plainSeries {
		t[s] = histogram.NewResident()
	}
	return t
}

// grow makes the histograms of series that are not there yet.
func (t *totals) grow(series ...int) {
	for _, s := range series {
		if t[s] == nil {
			t[s] = histogram.NewResident()
		}
	}
}

// acks tells whether there are series of acknowledgements.
func (t *totals) acks() bool { return t[ack] != nil }
