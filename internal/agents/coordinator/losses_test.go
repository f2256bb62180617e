package coordinator_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/agent"
	"github.com/brokerbench/brokerbench/internal/agents/coordinator"
	"github.com/brokerbench/brokerbench/internal/agents/merge"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
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

// heard tells whether the coordinator has said something.
func (s *site) heard(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(strings.Join(s.said, "\n"), text)
}

// An agent that ends once it has delivered is no loss, and who comes in its place does not join
// the cell under way.
func TestWhatWasDeliveredIsTakenAlthoughItsAgentEnds(t *testing.T) {
	s := newSite(t, 2)
	c := s.coordinate(nil)
	s.join(0, "v1", onLoopback)
	ended := make(chan struct{})
	s.join(1, "v1", func(ctx context.Context, task wire.Task, dir string, hooks agent.Hooks) error {
		err := onLoopback(ctx, task, dir, hooks)
		<-ended // it audits
		return err
	})
	var parts []merge.Part
	var err error
	measured := make(chan struct{})
	go func() {
		defer close(measured)
		parts, _, err = c.Measure(t.Context(), cell(2), "cell", folder(t), coordinator.Central{})
	}()
	s.says("a1", wire.Delivered)
	c.Gone("a1", "killed")
	s.join(0, "v1", onLoopback)
	close(ended)
	<-measured
	if err != nil || len(parts) != 2 || parts[0].Cell == nil || parts[0].Lost != "" || s.heard("given up") {
		t.Fatalf("%+v, %v, %q", parts, err, s.said)
	}
	if k := parts[1].Clock; k.DriftNS == nil || k.DriftBoundNS <= 0 || k.DriftOverNS < int64(time.Second) {
		t.Errorf("%+v: its clock is not known after the cell", k)
	}
}

// A crowd are agents that do no more than what goes before the start.
type crowd struct {
	s       *site
	conns   map[string]*nats.Conn
	mu      sync.Mutex
	states  map[string]wire.Beat
	reading int            // clocks, now
	most    int            // at once
	deaf    map[string]int // how many goodbyes an agent does not hear
	armed   chan struct{}
}

// come has all agents of a site join.
func (s *site) come() *crowd {
	c := &crowd{s: s, conns: make(map[string]*nats.Conn), states: make(map[string]wire.Beat), deaf: make(map[string]int), armed: make(chan struct{})}
	for i, name := range s.names {
		c.states[name] = wire.Beat{Agent: name, Epoch: "e" + name, Version: "v1", State: wire.Idle}
		c.conns[name] = s.as(i)
		_, err := c.conns[name].Subscribe("bb.run.down."+name, func(m *nats.Msg) { go c.follow(name, m) })
		if err == nil {
			err = c.conns[name].Flush()
		}
		if err != nil {
			s.t.Fatal(err)
		}
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

// read counts the clocks that are being read.
func (c *crowd) read(more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reading += more
	c.most = max(c.most, c.reading)
}

func (c *crowd) beat(name string) {
	c.mu.Lock()
	text, _ := json.Marshal(c.states[name])
	c.mu.Unlock()
	subjects := wire.Subjects{Run: "run"}
	_ = c.conns[name].PublishRequest(subjects.Beat(name), subjects.Inbox(name)+".none", text)
}

func (c *crowd) follow(name string, m *nats.Msg) {
	var o wire.Order
	if json.Unmarshal(m.Data, &o) != nil {
		return
	}
	states := map[wire.Kind]wire.State{wire.Prepare: wire.Prepared, wire.Start: wire.Armed, wire.Forget: wire.Aborted, wire.Bye: wire.Ended}
	switch o.Kind { //nolint:exhaustive // the others change no state
	case wire.Clock:
		c.read(1)
		time.Sleep(time.Millisecond)
		text, _ := json.Marshal(wire.Tick{})
		c.read(-1) // before it is answered: the answer begins the next
		_ = m.Respond(text)
		return
	case wire.Start:
		select {
		case <-c.armed:
		default:
			close(c.armed)
		}
	}
	c.mu.Lock()
	if o.Kind == wire.Bye && c.deaf[name] > 0 {
		c.deaf[name]--
		c.mu.Unlock()
		return
	}
	b := c.states[name]
	b.State, b.Key = states[o.Kind], o.Key
	c.states[name] = b
	c.mu.Unlock()
	c.beat(name)
}

// Who does not hear that the run is over is told again; who never says that it did is named.
func TestTheEndIsSaidUntilItIsHeard(t *testing.T) {
	for deaf, want := range map[int]bool{2: false, 1000: true} {
		s := newSite(t, 3)
		c := s.coordinate(func(cfg *coordinator.Config) { cfg.Lease = 2 * time.Second })
		all := s.come()
		if err := c.Gather(t.Context()); err != nil {
			t.Fatal(err)
		}
		all.mu.Lock()
		all.deaf["a2"] = deaf
		all.mu.Unlock()
		c.End(t.Context())
		if got := s.heard("agents a2 did not say that they heard"); got != want {
			t.Errorf("deaf to %d: %q", deaf, s.said)
		}
	}
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
	if _, _, err := c.Measure(ctx, cell(40), "cell", folder(t), coordinator.Central{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.most < 2 || all.most > 8 {
		t.Errorf("%d clocks were read at once, want 8 at most", all.most)
	}
}
