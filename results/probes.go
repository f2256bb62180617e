package results

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
	switch {
	case p.Tag == "published" && c.Published == nil, p.Tag == "ack" && c.Ack == nil:
		return Distribution{}, false
	}
	return c.Series(p.Tag), true
}
