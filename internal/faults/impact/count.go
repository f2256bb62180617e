package impact

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// dueBy returns how many messages of a part are due before each of some moments, in any
// order. It walks random arrivals once.
func dueBy(spec schedule.Spec, part schedule.Part, moments []time.Duration) map[time.Duration]uint64 {
	counter, counts := spec.Counter(part), make(map[time.Duration]uint64, len(moments))
	for _, at := range slices.Sorted(slices.Values(moments)) {
		counts[at] = uint64(counter.Until(at))
	}
	return counts
}

// A counter counts the messages of one connection after another.
type counter struct {
	*recorder

	after      []span
	end        time.Duration  // when the last message was due
	lost       *record.Bitmap // acknowledged messages that were not found; nil: unknown
	deliveries []outages
	acks       []outages
	wholes     []candidate // of all connections: may be outages
}

// count fills in what became of each message, and the outages.
func (r *recorder) count(after []span, out load.Outcome, lost *record.Bitmap) {
	c := counter{recorder: r, after: after, end: out.DueTill, lost: lost, deliveries: r.deliveries.outagesAfter(after, r.cell.Settings.Warmup)}
	if out.Acks {
		c.acks = r.acks.outagesAfter(after, r.cell.Settings.Warmup)
	}
	c.wholes = append(c.candidates(c.deliveries, &r.deliveries.All, true), c.candidates(c.acks, &r.acks.All, true)...)
	for _, a := range after {
		if lost != nil {
			a.fault.Impact.AckedLost = new(int64)
		}
	}
	for conn := range r.connections {
		c.connection(conn)
	}
	for _, one := range c.wholes {
		if one.worse(one.of.whole) {
			one.of.whole = one
		}
	}
	for i, a := range after {
		if c.deliveries != nil {
			a.fault.Impact.Deliveries = c.deliveries[i].outage(r.connections)
		}
		if c.acks != nil {
			a.fault.Impact.Acks = c.acks[i].outage(r.connections)
		}
	}
	c.recoveries()
}

// candidates returns the gaps that may be outages of a connection, or of all together, after each fault.
func (c *counter) candidates(list []outages, s *gaps, whole bool) (found []candidate) {
	for i := range list {
		h := &list[i]
		usual := h.usual
		if whole {
			usual = h.wholeUsual
		}
		for _, one := range s.own(c.after[i].began, c.after[i].next, c.end, usual) {
			if !whole && one.length() <= outageTimes*usual { // no outage: only its length is kept
				h.longest = max(h.longest, one.length())
				continue
			}
			one.of = h
			found = append(found, one)
		}
	}
	return found
}

// connection counts the messages of a connection.
func (c *counter) connection(conn int) {
	var own []candidate
	if conn < len(c.recorder.deliveries.Each) {
		own = append(c.candidates(c.deliveries, &c.recorder.deliveries.Each[conn], false), c.candidates(c.acks, &c.recorder.acks.Each[conn], false)...)
	}
	window, first := c.cell.Settings.Warmup, max(c.after[0].from, c.cell.Settings.Warmup)
	moments := []time.Duration{c.end + 1, window, first}
	for _, a := range c.after {
		moments = append(moments, a.from, a.to, a.lossesTo)
	}
	others := c.others()
	moments = append(moments, others...)
	for _, list := range [][]candidate{own, c.wholes} {
		for _, s := range list {
			moments = append(moments, s.counts, s.To)
		}
	}
	due := dueBy(c.cell.Schedule(), schedule.Part{}.Split(conn, c.connections), moments)
	for i := range c.wholes {
		c.wholes[i].due += int64(due[c.wholes[i].To] - due[c.wholes[i].counts])
	}
	worst := make(map[*outages]candidate)
	for _, one := range own {
		one.due = int64(due[one.To] - due[one.counts])
		if one.worse(worst[one.of]) {
			worst[one.of] = one
		}
	}
	for h, one := range worst {
		h.add(one)
	}
	for i, a := range c.after {
		a.fault.Impact.BaseDue += int64(due[first] - due[window])
		a.fault.Impact.BaseDone += c.done.Between(conn, due[window], due[first])
		c.messages(a.fault.Impact, conn, due[a.from], due[a.to])
		if c.lost != nil {
			*a.fault.Impact.AckedLost += c.lost.Between(conn, 0, due[a.lossesTo])
			a.fault.Impact.AckedLostOneOf += c.lost.Between(conn, 0, min(due[a.lossesTo], due[others[i]]))
		}
	}
}

// others returns for each fault until when messages were due that any other may have lost.
func (c *counter) others() []time.Duration {
	list := make([]time.Duration, len(c.after))
	for i := range list {
		for j, a := range c.after {
			if j != i {
				list[i] = max(list[i], a.lossesTo)
			}
		}
	}
	return list
}

// messages adds those of a connection, from one in its schedule until another.
func (c *counter) messages(h *results.Impact, conn int, from, to uint64) {
	due, done, failed := int64(to-from), c.done.Between(conn, from, to), c.failed.Between(conn, from, to)
	h.Due += due
	h.Done += done
	h.Failed += failed
	h.Lost += due - done - failed
	h.Acked += c.acked.Between(conn, from, to)
}
