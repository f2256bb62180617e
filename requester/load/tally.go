package load

import "time"

// close ends the connection's part: later replies count for nothing.
func (c *conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// tally completes the ledgers after close: what was sent and has no good reply
// is lost; what was due and not sent is unsent. late are the ops that were due
// before the end and that the sender had not come to.
func (c *conn) tally(late uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for seq := c.ring.base; seq < c.ring.next; seq++ {
		if e := c.ring.slot(seq); e.awaited() {
			c.ledger(e.due).Lost++
		}
	}
	c.dues += late
	for range c.dues - c.ring.next {
		due, _ := c.sends.Next()
		c.ledger(due).Unsent++
	}
	c.countDue()
}

// countDue counts the ops that were due independently of what became of them, by
// walking the schedule once more, so that Ledger.Check compares two counts.
func (c *conn) countDue() {
	cursor := c.run.cursor(c.index)
	for range c.dues {
		due, _ := cursor.Next()
		c.ledger(due).Due++
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
