package load

import (
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// close ends the connection's part: later replies do not count.
func (c *conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// tally completes the ledgers after close: an op that was sent and has no good reply
// is lost; one that was due and not sent is unsent. late are the ops that were due
// before the end and that the sender had not come to; sections has the ops of each that
// were due.
func (c *conn) tally(late uint64, sections []int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ring.Unsettled(c.lose)
	// Ops are sent in the order in which they are due: the last ones are unsent.
	c.dues += late
	sent := int64(c.ring.Next())
	unsent := int64(c.dues) - sent
	c.warmup.Unsent = min(unsent, max(c.warmup.Due-sent, 0))
	c.window.Unsent = unsent - c.warmup.Unsent
	c.divide(sections)
	c.tallySizes(uint64(sent))
}

// tallySizes completes the ledgers of sizes. The messages of each are drawn again, a nanosecond or two
// each; those that are neither done, failed nor unsent are lost.
func (c *conn) tallySizes(sent uint64) {
	if len(c.sizes) == 0 {
		return
	}
	begin, end := uint64(c.warmup.Due), uint64(c.warmup.Due+c.window.Due)
	due, unsent := c.run.body.Mix().Count(c.id, begin, end), c.run.body.Mix().Count(c.id, max(sent, begin), end)
	for i := range c.sizes {
		l := &c.sizes[i]
		l.Due, l.Unsent = due[i], unsent[i]
		l.Lost = l.Due - l.Done - l.Failed - l.Unsent
	}
}

// dues counts the ops of one connection that were due in the warm-up and in the
// window, by the schedule alone: it is independent of sending, so Ledger.Check
// compares two counts that come from different places.
type dues struct {
	counter        schedule.Counter
	warmup, window int64
	sections       []int64       // of the window; nil without
	to             time.Duration // until when they are counted
}

// count counts the ops due before to, which must not go back.
func (d *dues) count(to time.Duration, cfg *Config) {
	if d.window == 0 {
		d.warmup = int64(d.counter.Until(min(to, cfg.Warmup)))
	}
	before := int64(0)
	for i := range d.sections { // random arrivals do not go back: a section that is over is not counted again
		if end := min(to, cfg.Sections[i]); end > d.to {
			d.sections[i] = int64(d.counter.Until(end)) - d.warmup - before
		}
		before += d.sections[i]
	}
	d.to = max(d.to, to)
	d.window = int64(d.counter.Until(to)) - d.warmup
}

// countDues counts on, so that random arrivals, which are drawn once more, are not
// all drawn at the end.
func (r *run) countDues(to time.Duration) {
	for i := range r.dues {
		r.dues[i].count(to, &r.cfg)
	}
}

// late counts, for each connection, the ops that were due until then and that
// the sender had not come to.
func (m *merge) late(until time.Duration) map[*conn]uint64 {
	late := make(map[*conn]uint64)
	for c, due, ok := m.next(); ok && due <= until; c, due, ok = m.next() {
		late[c]++
		m.take()
	}
	return late
}
