package results

import (
	"slices"

	"github.com/brokerbench/brokerbench/histogram"
)

// at returns the distribution with a name, such as an objective has: ack, complete, published,
// first, each, outward, back, service, corrected, lag, held or that of a user, and for any other name the response. It is nil if the
// cell does not have it.
func (c *Cell) at(series string) *Distribution {
	if d, is := c.ofSize(series); is {
		return d
	}
	if d, is := c.ofUser(series); is {
		return d
	}
	named := map[string]*Distribution{
		"ack": c.Ack, "complete": c.Complete, "published": c.Published, "first": c.First, "each": c.Each,
		"outward": c.Outward, "back": c.Back, "service": &c.Service, "corrected": c.Corrected, "lag": &c.Lag, "held": &c.Held,
	}
	if d, is := named[series]; is {
		return d
	}
	return &c.Response
}

// Series returns the distribution with a name, such as an objective has, and for a name that
// is unknown the response. It is empty if the cell does not have it.
func (c *Cell) Series(name string) (d Distribution) {
	if at := c.at(name); at != nil {
		d = *at
	}
	return d
}

// SetHistogram sets the encoded histogram of a series that the cell has.
func (c *Cell) SetHistogram(series string, h *histogram.Histogram) {
	if d := c.at(series); d != nil && h != nil {
		d.Histogram = h.Encode()
	}
}

// SeriesNames returns the names of the series whose percentiles are judged: response, service,
// and those of acknowledgements and of groups of consumers, if there are any.
func (c *Cell) SeriesNames() []string {
	names := []string{"response", "service"}
	if c.Ack != nil {
		names = append(names, "ack", "complete")
	}
	if c.First != nil && c.Each != nil {
		names = append(names, "first", "each")
	}
	return names
}

// MissingOf returns how many due messages have no value in a series, and so rank above all
// values.
func (c *Cell) MissingOf(series string) int64 {
	d := c.at(series)
	if _, users := c.ofUser(series); d != nil && (users || slices.Contains([]string{"ack", "complete", "first", "each"}, series)) {
		return d.Missing
	}
	return c.Ledger.Missing()
}

// A Probe is a moment in the life of a message. Its distribution is that of the time from due
// until then.
type Probe struct {
	Tag  string // of its values in the interval log, as [Cell.Series] knows it
	Name string // for people
}

// Probes returns the probes in their usual order: the engine handed the message over (lag, for
// messages that had a free slot), the client wrote it to the socket, the target
// acknowledged it, and it came back.
func Probes() []Probe {
	return []Probe{{"lag", "lag"}, {"published", "published"}, {"ack", "acknowledged"}, {"response", "delivered"}}
}

// Probe returns the distribution of a probe; ok is false if the cell does not have it.
func (c *Cell) Probe(p Probe) (d Distribution, ok bool) {
	return c.Series(p.Tag), c.at(p.Tag) != nil
}
