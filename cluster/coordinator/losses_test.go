package coordinator_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/cluster/agent"
	"github.com/brokerbench/brokerbench/cluster/wire"
)

// says waits until an agent has reported a state and the coordinator has heard it: until it says
// so again.
func (s *site) says(agent string, state wire.State) {
	s.t.Helper()
	beats, err := s.dial().SubscribeSync("bb.run.up.beat." + agent)
	if err != nil {
		s.t.Fatal(err)
	}
	seen := 0
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); {
		m, err := beats.NextMsg(time.Second)
		var b wire.Beat
		if err == nil && json.Unmarshal(m.Data, &b) == nil && b.State == state {
			if seen++; seen == 2 {
				return
			}
		}
	}
	s.t.Fatalf("agent %s is never %s", agent, state)
}

// An agent that ends once it has delivered is no loss, and who comes in its place does not join
// the cell under way.
func TestWhatWasDeliveredIsTakenAlthoughItsAgentEnds(t *testing.T) {
	s := newSite(t, 2)
	c := s.coordinate(nil)
	s.join(0, "v1", onLoopback)
	s.join(1, "v1", func(ctx context.Context, task wire.Task, dir string, hooks agent.Hooks) error {
		err := onLoopback(ctx, task, dir, hooks)
		time.Sleep(1500 * time.Millisecond) // it audits
		return err
	})
	go func() {
		s.says("a1", wire.Delivered)
		c.Gone("a1", "killed")
		s.join(0, "v1", onLoopback)
	}()
	parts, _, err := c.Measure(t.Context(), cell(2), "cell", folder(t))
	if err != nil || len(parts) != 2 || parts[0].Cell == nil || parts[0].Lost != "" || s.said != nil {
		t.Fatalf("%+v, %v, %q", parts, err, s.said)
	}
	if k := parts[1].Clock; k.DriftNS == nil || k.DriftBoundNS <= 0 || k.DriftOverNS < int64(time.Second) {
		t.Errorf("%+v: its clock is not known after the cell", k)
	}
}

// A crowd are agents that do no more than what goes before the start.
type crowd struct {
	s       *site
	conn    *nats.Conn
	mu      sync.Mutex
	states  map[string]wire.Beat
	reading atomic.Int32
	most    atomic.Int32
	armed   chan struct{}
}

// come has all agents of a site join.
func (s *site) come() *crowd {
	c := &crowd{s: s, conn: s.dial(), states: make(map[string]wire.Beat), armed: make(chan struct{})}
	for _, name := range s.names {
		c.states[name] = wire.Beat{Agent: name, Epoch: "e" + name, Version: "v1", State: wire.Idle}
		if _, err := c.conn.Subscribe("bb.run.down."+name, func(m *nats.Msg) { go c.follow(name, m) }); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := c.conn.Flush(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		for s.t.Context().Err() == nil {
			for _, name := range s.names {
				c.beat(name)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	return c
}

func (c *crowd) beat(name string) {
	c.mu.Lock()
	text, _ := json.Marshal(c.states[name])
	c.mu.Unlock()
	_ = c.conn.PublishRequest("bb.run.up.beat."+name, "_INBOX.none", text)
}

func (c *crowd) follow(name string, m *nats.Msg) {
	var o wire.Order
	if json.Unmarshal(m.Data, &o) != nil {
		return
	}
	states := map[wire.Kind]wire.State{wire.Prepare: wire.Prepared, wire.Start: wire.Armed, wire.Forget: wire.Aborted, wire.Bye: wire.Ended}
	switch o.Kind { //nolint:exhaustive // the others change no state
	case wire.Clock:
		c.most.Store(max(c.most.Load(), c.reading.Add(1))) // about
		time.Sleep(time.Millisecond)
		text, _ := json.Marshal(wire.Tick{})
		_ = m.Respond(text)
		c.reading.Add(-1)
		return
	case wire.Start:
		select {
		case <-c.armed:
		default:
			close(c.armed)
		}
	}
	c.mu.Lock()
	b := c.states[name]
	b.State, b.Key = states[o.Kind], o.Key
	c.states[name] = b
	c.mu.Unlock()
	c.beat(name)
}

// Clocks of many agents are read a few at a time: all at once, each would seem far away.
func TestClocksAreReadAFewAtATime(t *testing.T) {
	s := newSite(t, 40)
	c := s.coordinate(nil)
	all := s.come()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-all.armed
		cancel()
	}()
	if _, _, err := c.Measure(ctx, cell(40), "cell", folder(t)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if most := all.most.Load(); most < 2 || most > 8 {
		t.Errorf("%d clocks were read at once, want 8 at most", most)
	}
}
