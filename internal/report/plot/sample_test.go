package plot_test

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/results"
)

// sample is a run of four cells at two rates: with a floor and confidence, with a
// stall, with missing messages, with few of them.
func sample(t *testing.T) string {
	return resultstest.Write(t, "sample",
		resultstest.Cell{Target: "nats", Rate: 1000, Seconds: stalled(1000, 8, 99, time.Millisecond), Hiccup: 400 * time.Microsecond, Change: known},
		resultstest.Cell{Target: "nats", Rate: 3000, Seconds: stalled(3000, 8, 3, time.Millisecond), Hiccup: 4 * time.Millisecond, Change: func(c *results.Cell) {
			known(c)
			for i := range 7 {
				c.Events = append(c.Events, results.Event{AtNS: int64(2500+500*i) * int64(time.Millisecond), Text: "disconnected"})
			}
		}},
		resultstest.Cell{Target: "redis", Rate: 1000, Seconds: stalled(1000, 8, 99, 2*time.Millisecond), Missing: 160, Change: func(c *results.Cell) {
			c.Judge([]results.Problem{{Code: "missing", Severity: results.Invalid}})
		}},
		resultstest.Cell{Target: "redis", Rate: 10, Seconds: stalled(10, 8, 99, 2*time.Millisecond), Change: func(c *results.Cell) {
			c.Judge([]results.Problem{{Code: "few", Severity: results.Suspect}})
		}})
}

// known adds a floor, and confidence as far as there are samples.
func known(c *results.Cell) {
	h := histogram.New()
	for i := range 1000 {
		h.Record(100*time.Microsecond + time.Duration(i)*time.Microsecond/2)
	}
	c.Floor = &results.Floor{Echo: results.FloorRun{Response: results.NewDistribution(h, 0)}}
	for i, row := range c.Response.Percentiles {
		if v, ok := row.Value(); ok && row.SamplesAbove >= histogram.MinAbove {
			low, high := int64(v)*9/10, int64(v)*6/5
			c.Response.Percentiles[i].LowNS, c.Response.Percentiles[i].HighNS = &low, &high
		}
	}
}

// stalled returns the response times of some seconds at a rate, of which one
// stands still: those that are due in it are answered at its end.
func stalled(rate, seconds, stall int, service time.Duration) [][]time.Duration {
	all := make([][]time.Duration, seconds)
	for s := range all {
		for i := range rate {
			rest := time.Second - time.Duration(i)*time.Second/time.Duration(rate)
			v := service + time.Duration(i*7919%rate)*time.Microsecond/4
			if s == stall {
				all[s+1] = append(all[s+1], rest+service)
				continue
			}
			all[s] = append(all[s], v)
		}
	}
	return all
}
