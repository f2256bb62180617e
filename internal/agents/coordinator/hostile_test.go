package coordinator_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/control"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
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

