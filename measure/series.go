package measure

import (
	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/requester/load"
)

// The series of a cell: what is recorded of each op.
const (
	response = iota
	service
	lag
	warmup // response times of the warm-up
	allSeries
)

// tags names the series in the interval log.
var tags = [allSeries]string{response: "response", service: "service", lag: "lag", warmup: "warmup"}

// shards is over how many locks the recording goroutines spread.
const shards = 4

// totals are the histograms of a whole cell.
type totals [allSeries]*histogram.Histogram

// recorder hands each op's times to the histograms. It allocates nothing.
type recorder struct{ *histogram.Recorder }

// Record implements load.Recorder.
func (r recorder) Record(op load.Op) {
	if op.Warmup {
		samples := [1]histogram.Sample{{Series: warmup, Value: op.Response()}}
		r.Recorder.Record(op.Conn, samples[:])
		return
	}
	samples := [3]histogram.Sample{
		{Series: response, Value: op.Response()},
		{Series: service, Value: op.Service()},
		{Series: lag, Value: op.Lag()},
	}
	n := len(samples)
	if op.Queued {
		n-- // its lag is a wait for a slot, not the generator's
	}
	r.Recorder.Record(op.Conn, samples[:n])
}
