package load

import "time"

// merge walks the schedules of several connections as one. next is always the op
// that is due first; of two due at once, that of the lower connection. It is a
// binary heap of the connections by their next due.
type merge struct{ heads []head }

type head struct {
	due  time.Duration
	conn *conn
}

// newMerge starts at the first op of each connection.
func newMerge(conns []*conn) merge {
	m := merge{heads: make([]head, 0, len(conns))}
	for _, c := range conns {
		if due, ok := c.arrivals.Next(); ok {
			m.heads = append(m.heads, head{due, c})
		}
	}
	for i := len(m.heads)/2 - 1; i >= 0; i-- {
		m.sift(i)
	}
	return m
}

// next returns the op that is due first without taking it; ok is false at the
// end of all schedules.
func (m *merge) next() (c *conn, due time.Duration, ok bool) {
	if len(m.heads) == 0 {
		return nil, 0, false
	}
	return m.heads[0].conn, m.heads[0].due, true
}

// take goes on to the op after the one that next returned.
func (m *merge) take() {
	due, ok := m.heads[0].conn.arrivals.Next()
	if ok {
		m.heads[0].due = due
	} else {
		last := len(m.heads) - 1
		m.heads[0] = m.heads[last]
		m.heads = m.heads[:last]
	}
	m.sift(0)
}

// sift moves the head at i down to where it belongs.
func (m *merge) sift(i int) {
	for {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(m.heads); child++ {
			if m.heads[child].before(m.heads[first]) {
				first = child
			}
		}
		if first == i {
			return
		}
		m.heads[i], m.heads[first] = m.heads[first], m.heads[i]
		i = first
	}
}

func (h head) before(other head) bool {
	return h.due < other.due || h.due == other.due && h.conn.index < other.conn.index
}
