package measure

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// dueBy returns how many messages of a share are due before each of some moments, in any
// order. It walks random arrivals once.
func dueBy(spec schedule.Spec, share schedule.Share, moments []time.Duration) map[time.Duration]uint64 {
	counter, counts := spec.Counter(share), make(map[time.Duration]uint64, len(moments))
	for _, at := range slices.Sorted(slices.Values(moments)) {
		counts[at] = uint64(counter.Until(at))
	}
	return counts
}

// A census counts the messages of one connection after another.
type census struct {
	*harm

	after      []aftermath
	end        time.Duration // when the last message was due
	lost       *promised     // that were acknowledged, and are not there; nil: nobody looked
	deliveries []hush
	acks       []hush
	wholes     []dueIn // of all connections: may be outages
}

// A dueIn is a silence, and how many messages were due in it so far.
type dueIn struct {
	caught

	of    *hush
	usual time.Duration
	due   int64
}

// count fills in what became of each message, and the outages.
func (h *harm) count(after []aftermath, out load.Outcome, lost *promised) {
	c := census{harm: h, after: after, end: out.DueTill, lost: lost, deliveries: h.deliveries.hushes(after, h.cell.Settings.Warmup)}
	if out.Acks {
		c.acks = h.acks.hushes(after, h.cell.Settings.Warmup)
	}
	c.wholes = append(c.silences(c.deliveries, &h.deliveries.all, true), c.silences(c.acks, &h.acks.all, true)...)
	for _, a := range after {
		if lost != nil {
			a.fault.Harm.AckedLost = new(int64)
		}
	}
	for conn := range h.connections {
		c.connection(conn)
	}
	for _, w := range c.wholes {
		if one := judge(w.caught, w.usual, w.due); one.worse(w.of.whole) {
			w.of.whole = one
		}
	}
	for i, a := range after {
		if c.deliveries != nil {
			a.fault.Harm.Deliveries = c.deliveries[i].outage(h.connections)
		}
		if c.acks != nil {
			a.fault.Harm.Acks = c.acks[i].outage(h.connections)
		}
	}
	h.recoveries(after, c.end)
}

// silences returns what may be an outage of a connection, or of all together, after each fault.
func (c *census) silences(hushes []hush, s *quiet, whole bool) (list []dueIn) {
	for i := range hushes {
		h := &hushes[i]
		usual := h.usual
		if whole {
			usual = h.wholeUsual
		}
		for _, one := range s.caught(c.after[i].began, c.after[i].next, c.end, outageTimes*usual) {
			if !whole && one.length() <= outageTimes*usual { // no outage: only its length is kept
				h.quiet = max(h.quiet, one.length())
				continue
			}
			list = append(list, dueIn{one, h, usual, 0})
		}
	}
	return list
}

// connection counts the messages of a connection.
func (c *census) connection(conn int) {
	var own []dueIn
	if conn < len(c.harm.deliveries.each) {
		own = append(c.silences(c.deliveries, &c.harm.deliveries.each[conn], false), c.silences(c.acks, &c.harm.acks.each[conn], false)...)
	}
	window, first := c.cell.Settings.Warmup, max(c.after[0].from, c.cell.Settings.Warmup)
	moments := []time.Duration{c.end + 1, window, first}
	for _, a := range c.after {
		moments = append(moments, a.from, a.to, a.lossesTo)
	}
	for _, list := range [][]dueIn{own, c.wholes} {
		for _, s := range list {
			moments = append(moments, s.counts, s.to)
		}
	}
	due := dueBy(c.cell.Schedule(), schedule.Share{}.Split(conn, c.connections), moments)
	for i := range c.wholes {
		c.wholes[i].due += int64(due[c.wholes[i].to] - due[c.wholes[i].counts])
	}
	for h, one := range worstOf(own, due) {
		h.add(one)
	}
	lossesFrom := uint64(0)
	for _, a := range c.after {
		a.fault.Harm.BaseDue += int64(due[first] - due[window])
		a.fault.Harm.BaseDone += c.done.between(conn, due[window], due[first])
		c.messages(a.fault.Harm, conn, due[a.from], due[a.to])
		if c.lost != nil {
			*a.fault.Harm.AckedLost += c.lost.between(conn, lossesFrom, due[a.lossesTo])
			lossesFrom = due[a.lossesTo]
		}
	}
}

// worstOf returns the worst silence of a connection after each fault.
func worstOf(list []dueIn, due map[time.Duration]uint64) map[*hush]judged {
	worst := make(map[*hush]judged)
	for _, one := range list {
		if j := judge(one.caught, one.usual, int64(due[one.to]-due[one.counts])); j.worse(worst[one.of]) {
			worst[one.of] = j
		}
	}
	return worst
}

// messages adds those of a connection, from one in its schedule until another.
func (c *census) messages(h *results.Harm, conn int, from, to uint64) {
	due, done, failed := int64(to-from), c.done.between(conn, from, to), c.failed.between(conn, from, to)
	h.Due += due
	h.Done += done
	h.Failed += failed
	h.Lost += due - done - failed
	h.Acked += c.acked.between(conn, from, to)
}
