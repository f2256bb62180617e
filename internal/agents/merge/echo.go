package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// echoes adds up what the echoes of agents did, and withholds what their clocks cannot
// tell.
func (m *merger) echoes(c *results.Cell, parts []Part) {
	var sum *results.Echo
	var lost []string
	split := true // the clocks of all are known
	for _, p := range parts {
		if p.Cell == nil || p.Cell.Echo == nil {
			continue
		}
		if sum == nil {
			sum = &results.Echo{Kind: p.Cell.Echo.Kind}
		}
		addEcho(sum, p.Cell.Echo)
		split = split && p.Cell.Echo.Clock != nil
		if p.Cell.Echo.Lost != "" {
			lost = append(lost, fmt.Sprintf("on %s: %s", p.Name, p.Cell.Echo.Lost))
		}
	}
	if sum == nil {
		return
	}
	sum.Lost = strings.Join(lost, "; ")
	sum.Handling = results.NewDistribution(m.echo, 0)
	c.Echo = sum
	if !split {
		sum.Clock, c.Outward, c.Back = nil, nil, nil
	}
	c.WithholdOneWay()
}

// addEcho adds what one echo did to a sum.
func addEcho(sum, e *results.Echo) {
	sum.Received, sum.Failed, sum.CPUCores = sum.Received+e.Received, sum.Failed+e.Failed, sum.CPUCores+e.CPUCores
	sum.Busy = max(sum.Busy, e.Busy)
	if sum.Cause == "" {
		sum.Cause = e.Cause
	}
	if e.Clock == nil {
		return
	}
	if sum.Clock == nil {
		sum.Clock = new(results.EchoClock)
	}
	k := sum.Clock
	k.BoundNS, k.DriftNS, k.Exchanges = max(k.BoundNS, e.Clock.BoundNS), max(k.DriftNS, e.Clock.DriftNS), k.Exchanges+e.Clock.Exchanges
	k.Outward.Add(e.Clock.Outward)
	k.Back.Add(e.Clock.Back)
	if sources := strings.Split(k.Source, "; "); k.Source == "" {
		k.Source = e.Clock.Source
	} else if !slices.Contains(sources, e.Clock.Source) {
		k.Source += "; " + e.Clock.Source
	}
}

// handling returns how long the echoes had each message; nil if there is none.
func (m *merger) handling() *histogram.Histogram {
	if m.echo.Count() == 0 {
		return nil
	}
	return m.echo
}
