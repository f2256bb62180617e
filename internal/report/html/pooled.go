package html

import (
	"strconv"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/results"
)

// A pooled is what the repeats of a series say together.
type pooled struct {
	Verdict  results.Verdict     `json:"verdict"` // the worst of theirs
	Reached  float64             `json:"reached"` // the lowest of theirs
	Ledger   results.Ledger      `json:"ledger"`  // the sum of theirs
	Response map[string]quantile `json:"response"`
	Service  map[string]quantile `json:"service"` // p99 alone
	Ack      map[string]quantile `json:"ack,omitempty"`
	MaxNS    int64               `json:"max_ns"` // the longest reply of all
}

// newPooled sums up the repeats of a target.
func newPooled(t answer.Target, repeats []*results.Cell) *pooled {
	p := &pooled{Verdict: t.Verdict, Reached: t.Reached, Ledger: t.Ledger}
	p.Response = mergedQuantiles(repeats, 50, 90, 99, 99.9, 99.99, 100)
	if services, ok := answer.As(repeats, func(c *results.Cell) *results.Distribution { return &c.Service }); ok {
		p.Service = mergedQuantiles(services, 99)
	}
	if acks, ok := answer.As(repeats, func(c *results.Cell) *results.Distribution { return c.Ack }); ok {
		p.Ack = mergedQuantiles(acks, 50, 99)
	}
	if longest := answer.Merged(repeats, 100); longest.NS != nil {
		p.MaxNS = *longest.NS
	}
	return p
}

// mergedQuantiles returns what the answer says of repeats. A maximum above which messages are
// missing is unknown here: the page has MaxNS for it.
func mergedQuantiles(repeats []*results.Cell, percentiles ...float64) map[string]quantile {
	rows := make(map[string]quantile, len(percentiles))
	for _, p := range percentiles {
		n := answer.Merged(repeats, p)
		q := quantile{NS: n.NS, Low: n.LowNS, High: n.HighNS, Trusted: n.Usable, Limit: n.Limit}
		if n.AtLeast {
			q.NS = nil
		}
		rows[strconv.FormatFloat(p, 'f', -1, 64)] = q
	}
	return rows
}

// floorOf returns p99 of the echoes of all repeats together; 0 if none was measured.
func floorOf(cells []*results.Cell) int64 {
	if n, ok := answer.Floor(cells, 99); ok && n.NS != nil {
		return *n.NS
	}
	return 0
}
