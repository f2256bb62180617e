package coordinator_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/agent"
	"github.com/brokerbench/brokerbench/internal/agents/control"
	"github.com/brokerbench/brokerbench/internal/agents/coordinator"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/results"
)

// as connects as an agent of a site.
func (s *site) as(i int) *nats.Conn {
	s.t.Helper()
	c, err := control.Dial(control.Link{
		URL: s.url, SHA256: s.secrets.SHA256(), Identity: s.secrets.Agents[i], Inbox: wire.Subjects{Run: "run"}.Inbox(s.names[i]),
	}, 10*time.Second)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// An answer goes to the agent that asked: no reply subject makes the coordinator speak to another
// agent, or on any other subject.
func TestAnAnswerGoesToTheAgentThatAsked(t *testing.T) {
	s := newSite(t, 2)
	s.coordinate(nil)
	subjects := wire.Subjects{Run: "run"}
	hostile, other := s.as(0), s.as(1)
	heard, err := other.SubscribeSync(subjects.Orders("a2"))
	if err == nil {
		_, err = other.Subscribe(subjects.Inbox("a2")+".>", func(m *nats.Msg) { t.Errorf("%s: %s", m.Subject, m.Data) })
	}
	if err == nil {
		err = other.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	beat, err := json.Marshal(wire.Beat{Agent: "a1", Epoch: "e", Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, reply := range []string{subjects.Orders("a2"), subjects.Inbox("a2") + ".e.beat.1", subjects.Inbox("a1") + ".", subjects.Inbox("a1") + ".*", "bb.run.result.a2.0.0"} {
		for subject, data := range map[string][]byte{subjects.Beat("a1"): beat, subjects.Result("a1", "0", 0): []byte("x")} {
			if err := hostile.PublishRequest(subject, reply, data); err != nil {
				t.Error(err)
			}
		}
	}
	if m, err := hostile.Request(subjects.Beat("a1"), beat, 10*time.Second); err != nil || len(m.Data) == 0 {
		t.Fatalf("%v: its own beat is not answered", err)
	}
	if m, err := heard.NextMsg(500 * time.Millisecond); err == nil {
		t.Errorf("the coordinator said to a2: %s", m.Data)
	}
}

// lies measures on a loopback, and adds a message to the ledger so many times.
func lies(times int) func(context.Context, wire.Task, string, agent.Hooks) error {
	return func(ctx context.Context, t wire.Task, dir string, hooks agent.Hooks) error {
		err := onLoopback(ctx, t, dir, hooks)
		if times--; err != nil || times < 0 {
			return err
		}
		folder := results.OpenCell(dir)
		c, err := folder.Read()
		if err != nil {
			return err
		}
		c.Ledger.Done++
		return folder.Save(c)
	}
}

// A result that cannot be names its agent, and is measured again, or left out.
func TestABadResultNamesItsAgent(t *testing.T) {
	for _, tt := range []struct {
		keep  bool
		times int
		want  string // that is told the user, or why a2 is lost
	}{
		{false, 1, "given up: agent a2: the ledger does not add up"},
		{true, 1, "its result cannot be used: the ledger does not add up"},
	} {
		s := newSite(t, 2)
		c := s.coordinate(func(cfg *coordinator.Config) { cfg.Keep = tt.keep })
		s.join(0, "v1", onLoopback)
		s.join(1, "v1", lies(tt.times))
		parts, _, err := c.Measure(t.Context(), cell(2), "cell", folder(t), coordinator.Central{})
		if err != nil || len(parts) != 2 {
			t.Fatal(err)
		}
		if tt.keep != (parts[1].Cell == nil) || tt.keep != strings.Contains(parts[1].Lost, tt.want) || tt.keep == s.heard(tt.want) {
			t.Errorf("keep %v: %+v, %q", tt.keep, parts[1], s.said)
		}
	}
}
