package load

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/brokerbench/brokerbench/requester/load/internal/order"
	"github.com/brokerbench/brokerbench/requester/load/internal/ring"
)

// A Group accounts for the deliveries that a group of consumers was owed: each op of the window once.
type Group struct {
	Ledger             // of deliveries: Due are those that it was owed
	Duplicate  int64   `json:"duplicate"`  // deliveries of an op that the group had already, or that was given up or failed
	Disordered int64   `json:"disordered"` // deliveries to a member that already had a later op of the same producer
	Members    []int64 `json:"members"`    // by member: first deliveries that it received
}

// Add adds what another account of the same group counted.
func (g *Group) Add(other Group) {
	g.Ledger.Add(other.Ledger)
	g.Duplicate += other.Duplicate
	g.Disordered += other.Disordered
	for i, n := range other.Members {
		g.Members[i] += n
	}
}

// copies are the books of one producer about the groups. Its connection's lock guards them.
type copies struct {
	ring   *ring.Ring
	words  ring.Words
	all    uint64 // the bits of all groups
	warmup time.Duration
	groups []Group      // of the window
	order  *order.Order // at members, or with keys of groups
}

// group opens the books about groups, if there are any.
func (c *conn) group() {
	t := c.run.cfg.Topology
	if t.Own() {
		return
	}
	c.copies = &copies{
		ring: &c.ring, all: 1<<t.Groups - 1, warmup: c.run.cfg.Warmup,
		groups: make([]Group, t.Groups), order: order.New(t.Groups*t.Members, c.run.deal),
	}
	c.ring.Words = &c.copies.words
	c.sendLater = func() { c.run.sendQueued(c) }
}

// replies returns Reply of a connection's sink. A producer receives nothing.
func (c *conn) replies() func(payload []byte) {
	if c.copies != nil {
		return func([]byte) { c.stray(&c.strays.Foreign) }
	}
	return c.reply
}

// missed counts an op that failed or is lost, for the groups that do not have it. It does nothing on nil.
func (p *copies) missed(seq uint64, e *ring.Entry, counter func(*Ledger) *int64) {
	if p == nil || e.Due < p.warmup {
		return
	}
	for left := p.all &^ *p.ring.Word(seq); left != 0; left &= left - 1 {
		*counter(&p.groups[bits.TrailingZeros64(left)].Ledger)++
	}
}

// outstanding returns how many replies an op is still to get.
func (p *copies) outstanding(seq uint64) int64 {
	if p == nil {
		return 1
	}
	return int64(bits.OnesCount64(p.all &^ *p.ring.Word(seq)))
}

// deliver counts a message that a member received. With the delivery to the last group the op is done.
func (c *conn) deliver(m *member, seq uint64, done time.Duration, intact bool) {
	c.mu.Lock()
	d, counts := c.takeDelivery(m, seq, done, intact)
	var op Op
	if d.Last {
		op = c.takeLast(seq, done)
	}
	if counts {
		c.recording.Add(1)
	}
	claimed := c.claim()
	c.mu.Unlock()
	if counts {
		c.recordDelivery(m, d, op)
	}
	if claimed {
		go c.sendLater() // a member also has messages of other producers, which must not wait for this one's Request
	}
}

func (c *conn) recordDelivery(m *member, d Delivery, op Op) {
	if !d.Warmup {
		m.received.Add(1)
	}
	if c.run.deliveries != nil {
		c.run.deliveries.RecordDelivery(d)
	}
	if d.Last {
		if c.run.hooks.Delivered != nil {
			c.run.hooks.Delivered(c.index, d.Seq)
		}
		c.run.recorder.Record(op)
	}
	c.recording.Add(-1)
}

// takeDelivery marks that a group has an op, or counts a stray. The caller holds the lock.
func (c *conn) takeDelivery(m *member, seq uint64, done time.Duration, intact bool) (d Delivery, counts bool) {
	p := c.copies
	e := c.ring.At(seq)
	if c.closed || e == nil || !e.Awaited() || !intact {
		before := c.strays.Duplicate
		c.take(seq, done, false) // which counts the stray
		p.groups[m.Group].Duplicate += c.strays.Duplicate - before
		return Delivery{}, false
	}
	word := p.ring.Word(seq)
	if *word&m.bit() != 0 {
		c.duplicate(done)
		p.groups[m.Group].Duplicate++
		return Delivery{}, false
	}
	d = Delivery{
		Conn: c.index, Seq: seq, Group: m.Group, Member: m.Number, Due: e.Due, Done: done,
		First: *word == 0, Warmup: e.Due < c.run.cfg.Warmup, Class: c.class(seq), Partition: m.from,
	}
	*word |= m.bit()
	d.Last = *word == p.all
	highest := p.order.At(m.lane, c.id, seq)
	disordered := seq < *highest
	if disordered {
		e.Marks |= ring.Disorderly
	}
	*highest = max(*highest, seq+1)
	if !d.Warmup {
		p.groups[m.Group].Done++
		if disordered {
			p.groups[m.Group].Disordered++
		}
	}
	return d, true
}

// takeLast makes an op done that the last group has. It is disordered if it was so at any member: the
// order in which the last groups have the ops means nothing. The caller holds the lock.
func (c *conn) takeLast(seq uint64, done time.Duration) Op {
	c.highest = 0
	if c.ring.At(seq).Is(ring.Disorderly) {
		c.highest = seq + 1
	}
	op, _ := c.take(seq, done, true)
	return op
}

// tallyGroups adds up what each group got.
func (r *run) tallyGroups(o *Outcome) {
	for g := range r.cfg.Topology.Groups {
		sum := Group{Members: make([]int64, r.cfg.Topology.Members)}
		for _, c := range r.conns {
			sum.Add(c.copies.groups[g])
			sum.Due += c.window.Due
			sum.Unsent += c.window.Unsent
		}
		o.Groups = append(o.Groups, sum)
	}
	for _, m := range r.members {
		o.Groups[m.Group].Members[m.Number] = m.received.Load()
		o.Strays.Add(m.strays)
	}
}

// CheckGroups returns an error if the deliveries do not add up, among themselves or with the ledger.
func CheckGroups(groups []Group, window Ledger) error {
	for i, g := range groups {
		received := int64(0)
		for _, n := range g.Members {
			received += n
		}
		if err := g.Check(); err != nil {
			return fmt.Errorf("group %d: %w", i, err)
		}
		if g.Done < window.Done || received != g.Done {
			return fmt.Errorf("the deliveries of group %d do not add up: %d, %d of them by member; %d messages have reached all groups", i, g.Done, received, window.Done)
		}
	}
	return nil
}
