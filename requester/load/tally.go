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
// before the end and that the sender had not come to.
func (c *conn) tally(late uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ring.unsettled(c.lose)
	// Ops are sent in the order in which they are due: the last ones are unsent.
	c.dues += late
	sent := int64(c.ring.next())
	unsent := int64(c.dues) - sent
	c.warmup.Unsent = min(unsent, max(c.warmup.Due-sent, 0))
	c.window.Unsent = unsent - c.warmup.Unsent
}

// dues counts the ops of one connection that were due in the warm-up and in the
// window, by the schedule alone: it is independent of sending, so Ledger.Check
// compares two counts that come from different places.
type dues struct {
	counter        schedule.Counter
	warmup, window int64
}

// count counts the ops due before to, which must not go back.
func (d *dues) count(to, warmup time.Duration) {
	if d.window == 0 {
		d.warmup = int64(d.counter.Until(min(to, warmup)))
	}
	d.window = int64(d.counter.Until(to)) - d.warmup
}

// countDues counts on, so that random arrivals, which are drawn once more, are not
// all drawn at the end.
func (r *run) countDues(to time.Duration) {
	for i := range r.dues {
		r.dues[i].count(to, r.cfg.Warmup)
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
