package html

import (
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/answer"
)

// probes are when messages were handed over, on the socket and acknowledged, each from due:
// p50, p99, p99.9 and the maximum. When they came back is in the response.
type probes struct {
	Lag       map[string]quantile `json:"lag,omitempty"`
	Published map[string]quantile `json:"published,omitempty"` // absent of a client that does not tell
	Ack       map[string]quantile `json:"ack,omitempty"`       // absent if the target acknowledges nothing
}

// atProbes are the percentiles of a probe.
func atProbes() []float64 { return []float64{50, 99, 99.9, 100} }

// set sets the quantiles of a probe by the tag of its values.
func (p *probes) set(tag string, of map[string]quantile) {
	switch tag {
	case "lag":
		p.Lag = of
	case "published":
		p.Published = of
	case "ack":
		p.Ack = of
	}
}

func probesOf(c *results.Cell) (p probes) {
	for _, probe := range results.Probes() {
		if d, ok := c.Probe(probe); ok {
			p.set(probe.Tag, quantiles(d, atProbes()...))
		}
	}
	return p
}

// probesTogether returns what the answer says of the probes of repeats.
func probesTogether(repeats []*results.Cell) (p probes) {
	for _, probe := range results.Probes() {
		of := func(c *results.Cell) *results.Distribution {
			if d, ok := c.Probe(probe); ok {
				return &d
			}
			return nil
		}
		if list, ok := answer.As(repeats, of); ok {
			p.set(probe.Tag, together(list, atProbes()...))
		}
	}
	return p
}
