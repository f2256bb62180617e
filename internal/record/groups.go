package record

import (
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// Groups has a histogram of the deliveries to each group of consumers. Record may be called concurrently.
type Groups []groupHistogram

type groupHistogram struct {
	mu     sync.Mutex
	values *histogram.Histogram
	_      [64]byte // the next lock is on another cache line
}

// NewGroups returns empty histograms for so many groups.
func NewGroups(n int) Groups {
	g := make(Groups, n)
	for i := range g {
		g[i].values = histogram.NewResident()
	}
	return g
}

// Record records a delivery. It allocates nothing.
func (g Groups) Record(group int, value time.Duration) {
	g[group].mu.Lock()
	g[group].values.Record(value)
	g[group].mu.Unlock()
}

// Describe writes what each group received into a result. It is called after the last Record.
func (g Groups) Describe(c *results.Cell, counted []load.Group) {
	for i, one := range counted {
		each := results.NewDistribution(g[i].values, one.Missing())
		p50, _ := each.At(50)
		p99, _ := each.At(99)
		c.Groups = append(c.Groups, results.Group{
			Number: i, Ledger: one.Ledger, Duplicate: one.Duplicate, Disordered: one.Disordered, Members: one.Members,
			P50NS: p50.ValueNS, P99NS: p99.ValueNS, MaxNS: each.MaxNS,
		})
	}
}
