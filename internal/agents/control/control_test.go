package control_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/control"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/leaf/poll"
)

// serve starts the control server of a run with two agents.
func serve(t *testing.T) (url string, secrets control.Secrets) {
	t.Helper()
	secrets, err := control.NewSecrets([]string{"a1", "a2"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := control.Serve("run", "127.0.0.1", 0, secrets)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return "nats://127.0.0.1:" + strconv.Itoa(s.Port()), secrets
}

// refusals remembers what the server refused.
type refusals struct {
	mu  sync.Mutex
	all []string
}

func (r *refusals) add(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.all = append(r.all, err.Error())
	}
}

func (r *refusals) has(text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Contains(strings.Join(r.all, "\n"), text)
}

func dial(t *testing.T, l control.Link) *nats.Conn {
	t.Helper()
	c, err := control.Dial(l, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestAnAgentSpeaksForItselfOnly(t *testing.T) {
	url, secrets := serve(t)
	subjects := wire.Subjects{Run: "run"}
	coordinator := dial(t, control.Link{URL: url, SHA256: secrets.SHA256(), Identity: secrets.Coordinator})
	heard, err := coordinator.SubscribeSync(subjects.Beat("*"))
	if err != nil {
		t.Fatal(err)
	}
	if err := coordinator.Flush(); err != nil {
		t.Fatal(err)
	}
	var refused refusals
	agent := dial(t, control.Link{URL: url, SHA256: secrets.SHA256(), Identity: secrets.Agents[0], Inbox: subjects.Inbox("a1")})
	agent.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused.add(err) })
	for _, subject := range []string{subjects.Beat("a2"), subjects.Result("a2", "0", 0), subjects.Orders("a2"), "$JS.API.STREAM.NAMES", "bb.other.up.beat.a1"} {
		if err := agent.Publish(subject, []byte("x")); err != nil {
			t.Error(err)
		}
		_ = agent.Flush()
		waitFor(t, func() bool { return refused.has(subject) })
	}
	for _, subject := range []string{subjects.Orders("a2"), ">", "_INBOX.>"} {
		if _, err := agent.SubscribeSync(subject); err != nil {
			t.Error(err)
		}
		_ = agent.Flush()
		waitFor(t, func() bool { return refused.has(`"` + subject + `"`) })
	}
	if err := agent.Publish(subjects.Beat("a1"), []byte("mine")); err != nil {
		t.Fatal(err)
	}
	m, err := heard.NextMsg(5 * time.Second)
	if err != nil || m.Subject != subjects.Beat("a1") {
		t.Errorf("%v, %v: of all that was sent only the agent's own beat comes through", m, err)
	}
}

// The coordinator gives orders and answers, and hears reports and results, of its own run: what it
// is made to say elsewhere, the server refuses.
func TestTheCoordinatorSpeaksToItsAgentsOnly(t *testing.T) {
	url, secrets := serve(t)
	subjects := wire.Subjects{Run: "run"}
	var refused refusals
	coordinator := dial(t, control.Link{URL: url, SHA256: secrets.SHA256(), Identity: secrets.Coordinator, Inbox: subjects.Coordinator()})
	coordinator.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused.add(err) })
	for _, subject := range []string{subjects.Beat("a1"), subjects.Result("a2", "0", 0), "$JS.API.STREAM.NAMES", "bb.other.down.a1", "_INBOX.x"} {
		if err := coordinator.Publish(subject, []byte("x")); err != nil {
			t.Error(err)
		}
		_ = coordinator.Flush()
		waitFor(t, func() bool { return refused.has(subject) })
	}
	if _, err := coordinator.SubscribeSync(">"); err != nil {
		t.Error(err)
	}
	_ = coordinator.Flush()
	waitFor(t, func() bool { return refused.has(`">"`) })
}

func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	poll.Until(t, 10*time.Second, holds, "the server has refused nothing")
}

func TestWhoDoesNotKnowTheRunDoesNotComeIn(t *testing.T) {
	url, secrets := serve(t)
	_, strangers := serve(t)
	for name, tt := range map[string]struct {
		link control.Link
		want string
	}{
		"another certificate": {control.Link{URL: url, SHA256: strangers.SHA256(), Identity: secrets.Agents[0]}, "the server's certificate is not the run's"},
		"another secret":      {control.Link{URL: url, SHA256: secrets.SHA256(), Identity: strangers.Agents[0]}, "Authorization Violation"},
		"no secret":           {control.Link{URL: url, SHA256: secrets.SHA256()}, "Authorization Violation"},
		"no server":           {control.Link{URL: "nats://127.0.0.1:1", SHA256: secrets.SHA256(), Identity: secrets.Coordinator}, "connection refused"},
	} {
		c, err := control.Dial(tt.link, time.Second)
		if err == nil {
			c.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), secrets.Coordinator.Secret) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// The first connection is tried again, as is every other.
func TestAServerThatComesLater(t *testing.T) {
	_, secrets := serve(t)
	first, err := control.Serve("run", "127.0.0.1", 0, secrets)
	if err != nil {
		t.Fatal(err)
	}
	port := first.Port()
	first.Close()
	connected := make(chan *nats.Conn)
	go func() {
		c, _ := control.Dial(control.Link{URL: "nats://127.0.0.1:" + strconv.Itoa(port), SHA256: secrets.SHA256(), Identity: secrets.Coordinator}, 20*time.Second)
		connected <- c
	}()
	time.Sleep(300 * time.Millisecond)
	later, err := control.Serve("run", "127.0.0.1", port, secrets)
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	c := <-connected
	if c == nil {
		t.Fatal("not connected")
	}
	c.Close()
}
