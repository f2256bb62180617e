package agent

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/leaf/poll"
)

const lease = 10 * time.Second

// A site is a coordinator and its control server, as an agent sees them, in virtual time. It
// implements conn.
type site struct {
	t     *testing.T
	agent *Agent
	ended chan error

	mu     sync.Mutex
	deaf   bool // nothing comes through
	mute   bool // no beat is answered
	full   bool // the coordinator takes nothing
	beats  []wire.Beat
	stored int
	said   []string
	reply  wire.Reply
}

// newSite has an agent that measures by a function. Begin starts it.
func newSite(t *testing.T, measure func(context.Context, wire.Task, string, Hooks) error) *site {
	t.Helper()
	s := &site{t: t, ended: make(chan error, 1), reply: wire.Reply{Lease: lease}}
	s.agent = newAgent(Config{Join: wire.Join{Run: "r", Agent: wire.Identity{Name: "a1"}}, Dir: t.TempDir(), Measure: measure, Say: s.say})
	s.agent.conn = s
	return s
}

// begin starts the agent, which ends with the test at the latest.
func (s *site) begin(ctx context.Context) {
	giveUp, cancel := context.WithCancel(context.Background())
	if s.agent.cfg.GiveUp == nil {
		s.agent.cfg.GiveUp = giveUp.Done()
	}
	s.t.Cleanup(cancel)
	go func() { s.ended <- s.agent.takePart(ctx) }()
}

func (s *site) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, text)
}

// PublishRequest takes a beat and answers it at once.
func (s *site) PublishRequest(_, inbox string, text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deaf {
		return nats.ErrReconnectBufExceeded
	}
	var b wire.Beat
	if err := json.Unmarshal(text, &b); err != nil {
		s.t.Error(err)
	}
	s.beats = append(s.beats, b)
	answer, _ := json.Marshal(s.reply)
	if !s.mute {
		go s.agent.answered(&nats.Msg{Subject: inbox, Data: answer})
	}
	return nil
}

// RequestWithContext takes a chunk.
func (s *site) RequestWithContext(ctx context.Context, _ string, _ []byte) (*nats.Msg, error) {
	s.mu.Lock()
	deaf, full := s.deaf, s.full
	s.mu.Unlock()
	switch {
	case deaf:
		<-ctx.Done()
		return nil, ctx.Err()
	case full:
		return &nats.Msg{Data: []byte("no space left on device")}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stored++
	return new(nats.Msg), nil
}

// FlushTimeout implements conn.
func (s *site) FlushTimeout(time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deaf {
		return nats.ErrTimeout
	}
	return nil
}

// IsClosed implements conn.
func (s *site) IsClosed() bool { return false }

// Close implements conn.
func (s *site) Close() {}

// cut stops all that is said, or lets it through again.
func (s *site) cut(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deaf = on
}

// silence leaves beats without an answer, or answers them again.
func (s *site) silence(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mute = on
}

// tell gives the agent an order.
func (s *site) tell(o wire.Order) {
	o.Epoch = s.agent.epoch
	text, _ := json.Marshal(o)
	s.agent.ordered(&nats.Msg{Data: text})
}

// prepare has the agent measure something under a key.
func (s *site) prepare(key string) {
	s.tell(wire.Order{Kind: wire.Prepare, Key: key, Task: &wire.Task{ID: "cell"}})
}

// last returns the last beat.
func (s *site) last() wire.Beat {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.beats) == 0 {
		s.t.Fatal("there is no beat")
	}
	return s.beats[len(s.beats)-1]
}

// count returns how many beats there were.
func (s *site) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.beats)
}

// wants waits until the agent says that it is in a state, of a key.
func (s *site) wants(key string, state wire.State) {
	s.t.Helper()
	poll.Until(s.t, time.Minute, func() bool {
		return s.count() > 0 && s.last().Key == key && s.last().State == state
	}, "the agent is not %s of %s", state, key)
}

// end waits for the agent's end, and returns how long that took.
func (s *site) end(want error) time.Duration {
	s.t.Helper()
	begun := time.Now()
	select {
	case err := <-s.ended:
		if !errors.Is(err, want) || want == nil && err != nil {
			s.t.Errorf("it ended with %v, want %v", err, want)
		}
	case <-time.After(24 * time.Hour):
		s.t.Fatal("the agent does not end")
	}
	return time.Since(begun)
}

// sends is a Measure that sends from the start on for so long, or until it is told to stop.
// What it measured is delivered.
func sends(long time.Duration) func(context.Context, wire.Task, string, Hooks) error {
	return func(ctx context.Context, _ wire.Task, dir string, hooks Hooks) error {
		hooks.Started(time.Now())
		select {
		case <-ctx.Done():
		case <-time.After(long):
		}
		return write(dir)
	}
}

// write writes the file of a cell.
func write(dir string) error {
	return os.WriteFile(filepath.Join(dir, "cell.json"), []byte(strings.Repeat("{}", 1000)), 0o600)
}
