package loopback

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// A Death is the end of a member of a group. The other members get what it has not received yet, and
// once more the last messages that it received and had not acknowledged.
type Death struct {
	Member  int
	At      time.Duration // from the first request
	Unacked int           // messages that come again
}

// hub hands each message to one member of each group, in turn.
type hub struct {
	requester.Topology

	factory *Factory
	begun   sync.Once

	mu      sync.Mutex
	members [][]*consumer // by group; nil before its Setup
	turn    []int         // by group: the member whose turn it is
	kept    [][][]byte    // by group: messages for which there was no member
}

// TakeTopology implements requester.Grouper.
func (f *Factory) TakeTopology(t requester.Topology) error {
	if f.hub == nil {
		f.hub = &hub{Topology: t, factory: f, members: make([][]*consumer, t.Groups), turn: make([]int, t.Groups), kept: make([][][]byte, t.Groups)}
		for g := range t.Groups {
			f.hub.members[g] = make([]*consumer, t.Members)
		}
	}
	return nil
}

// NewConsumer implements requester.Grouper. A consumer behaves as the factory's Config says, or as its
// group's: it delays, freezes, drops and duplicates what it is handed.
func (f *Factory) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	cfg := f.cfg
	if m.Group < len(cfg.Groups) {
		cfg = cfg.Groups[m.Group]
	}
	c := &consumer{at: m, hub: f.hub, keeps: cfg.Unacked, conn: &conn{cfg: cfg, start: f.start, journal: f.journal}}
	c.reply = sink.Reply
	if d := cfg.Death; d != nil && d.Member == m.Number {
		c.death, c.keeps = d, d.Unacked
	}
	if c.keeps > 0 {
		c.reply = func(payload []byte) {
			c.keep(payload)
			sink.Reply(payload)
		}
	}
	return c, nil
}

// Setup implements requester.Consumer: the member gets what is kept for its group.
func (c *consumer) Setup(ctx context.Context) error {
	err := c.conn.Setup(ctx)
	h := c.hub
	h.mu.Lock()
	h.members[c.at.Group][c.at.Number] = c
	kept := h.kept[c.at.Group]
	h.kept[c.at.Group] = nil
	h.mu.Unlock()
	for _, payload := range kept {
		h.hand(c.at.Group, payload)
	}
	return err
}

// Keeps implements requester.Keeper.
func (f *Factory) Keeps() error {
	if !f.cfg.Keeps {
		return errors.New("this loopback keeps nothing")
	}
	return nil
}

// consumer is a member of a group.
type consumer struct {
	*conn
	at    requester.Member
	hub   *hub
	death *Death      // nil: it lives
	keeps int         // how many messages it has not acknowledged
	lost  atomic.Bool // it was killed, and the hub does not know yet

	keeping sync.Mutex
	unacked [][]byte // the last that it received
}

func (c *consumer) keep(payload []byte) {
	c.keeping.Lock()
	defer c.keeping.Unlock()
	if stamp, _ := requester.ReadStamp(payload); stamp.Seq == requester.ProbeSeq {
		return
	}
	c.unacked = append(c.unacked, append([]byte(nil), payload...))
	c.unacked = c.unacked[max(len(c.unacked)-c.keeps, 0):]
}

// die ends the member and returns the messages for the others.
func (c *consumer) die() (left [][]byte) {
	c.closed.Store(true)
	c.keeping.Lock()
	left = c.unacked
	c.keeping.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	c.lost.Store(false)
	for _, h := range c.queue {
		left = append(left, h.payload)
	}
	return left
}

// bequeath hands what the member did not acknowledge to the others.
func (c *consumer) bequeath() {
	for _, payload := range c.die() {
		c.hub.hand(c.at.Group, payload)
	}
}

// Depart implements requester.Mortal: the others get what is on its way to the member.
func (c *consumer) Depart(context.Context) error {
	c.keeping.Lock()
	c.unacked = nil
	c.keeping.Unlock()
	c.bequeath()
	return nil
}

// Kill implements requester.Mortal.
func (c *consumer) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		c.lost.Store(true)
		c.closed.Store(true)
		time.AfterFunc(c.cfg.Session, c.bequeath)
	}
}

// Request keeps what comes for a member that was killed, until the others get it.
func (c *consumer) Request(ctx context.Context, payload []byte) error {
	if !c.lost.Load() {
		return c.conn.Request(ctx, payload)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return errClosed
	}
	c.queue = append(c.queue, held{payload: append([]byte(nil), payload...), copies: 1})
	return nil
}

// begin starts the clocks of those that die, with the first message.
func (h *hub) begin() {
	for _, members := range h.members {
		for _, m := range members {
			if m == nil || m.death == nil {
				continue
			}
			time.AfterFunc(time.Until(h.factory.start().Add(m.death.At)), m.bequeath)
		}
	}
}

// hand hands a message to the next member of a group that takes it: one that was chosen may end first.
func (h *hub) hand(group int, payload []byte) {
	for to := h.choose(group, payload); to != nil && to.Request(context.Background(), payload) != nil; {
		to = h.choose(group, payload)
	}
}

// choose returns the member whose turn it is. If there is none, it returns nil, and the group may keep
// the message.
func (h *hub) choose(group int, payload []byte) *consumer {
	h.mu.Lock()
	defer h.mu.Unlock()
	for range h.Members {
		m := h.members[group][h.turn[group]%h.Members]
		if h.turn[group]++; m != nil && (!m.closed.Load() || m.lost.Load()) {
			return m
		}
	}
	if h.factory.cfg.Keeps {
		h.kept[group] = append(h.kept[group], bytes.Clone(payload))
	}
	return nil
}

// producer is a connection that sends to the groups.
type producer struct {
	hub   *hub
	acked func(payload []byte)
}

// Traits implements requester.Requester.
func (p producer) Traits() requester.Traits {
	return requester.Traits{Acknowledges: p.hub.factory.cfg.Keeps}
}

// Setup implements requester.Requester.
func (p producer) Setup(context.Context) error { return nil }

// Teardown implements requester.Requester.
func (p producer) Teardown(context.Context) error { return nil }

// Request implements requester.Requester.
func (p producer) Request(_ context.Context, payload []byte) error {
	if stamp, _ := requester.ReadStamp(payload); stamp.Seq != requester.ProbeSeq {
		p.hub.begun.Do(p.hub.begin)
	}
	for group := range p.hub.Groups {
		p.hub.hand(group, payload)
	}
	if p.hub.factory.cfg.Keeps {
		p.acked(payload)
	}
	return nil
}
