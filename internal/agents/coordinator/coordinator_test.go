package coordinator_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/agent"
	"github.com/brokerbench/brokerbench/internal/agents/control"
	"github.com/brokerbench/brokerbench/internal/agents/coordinator"
	"github.com/brokerbench/brokerbench/internal/agents/merge"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A site is a control server with the names of some agents.
type site struct {
	t       *testing.T
	url     string
	secrets control.Secrets
	names   []string

	mu   sync.Mutex
	said []string
}

func newSite(t *testing.T, n int) *site {
	t.Helper()
	s := &site{t: t}
	for i := range n {
		s.names = append(s.names, fmt.Sprintf("a%d", i+1))
	}
	var err error
	if s.secrets, err = control.NewSecrets(s.names); err != nil {
		t.Fatal(err)
	}
	server, err := control.Serve("run", "127.0.0.1", 0, s.secrets)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	s.url = "nats://127.0.0.1:" + strconv.Itoa(server.Port())
	return s
}

func (s *site) dial() *nats.Conn {
	s.t.Helper()
	c, err := control.Dial(control.Link{URL: s.url, SHA256: s.secrets.SHA256(), Identity: s.secrets.Coordinator, Inbox: wire.Subjects{Run: "run"}.Coordinator()}, 10*time.Second)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

func (s *site) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, text)
}

// coordinate makes a coordinator.
func (s *site) coordinate(change func(*coordinator.Config)) *coordinator.Coordinator {
	s.t.Helper()
	cfg := coordinator.Config{Run: "run", Agents: s.names, Version: "v1", Conn: s.dial(), Wait: 5 * time.Second, Say: s.say, MaxSkew: time.Second}
	if change != nil {
		change(&cfg)
	}
	c, err := coordinator.New(s.t.Context(), cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// join starts an agent, and returns what becomes of it.
func (s *site) join(i int, version string, measure func(context.Context, wire.Task, string, agent.Hooks) error) <-chan error {
	ended := make(chan error, 1)
	cfg := agent.Config{
		Join:    wire.Join{URL: s.url, Run: "run", SHA256: s.secrets.SHA256(), Agent: s.secrets.Agents[i]},
		Version: version, Dir: s.t.TempDir(), Measure: measure,
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.t.Cleanup(cancel)
	go func() { ended <- agent.Run(ctx, cfg) }()
	return ended
}

// cell is a short one that agents can share.
func cell(agents int) plan.Cell {
	return plan.Cell{
		Target: plan.Target{Name: "loopback", URL: "loopback:"}, Shape: plan.Shape{Rate: 100, Size: 64, Connections: agents},
		Settings: plan.Settings{Duration: time.Second, Warmup: 100 * time.Millisecond, Timeout: 5 * time.Second},
	}
}

// onLoopback measures a part on a loopback of its own.
func onLoopback(ctx context.Context, t wire.Task, dir string, hooks agent.Hooks) error {
	return onLoopbackUntil(ctx, t, dir, hooks, nil)
}

// onLoopbackUntil is onLoopback, with what is called when nothing is sent or awaited any more.
func onLoopbackUntil(ctx context.Context, t wire.Task, dir string, hooks agent.Hooks, healed func()) error {
	f, err := loopback.New(loopback.Config{Delay: time.Millisecond})
	if err != nil {
		return err
	}
	folder := results.OpenCell(dir)
	_, err = measure.Cell(ctx, f, t.Cell, measure.Options{
		ID: t.ID, Folder: folder, Part: t.Part, Analysis: finish{t, folder, hooks},
		Ready: hooks.Ready, Started: hooks.Started, Settled: healed,
	})
	return err
}

// finish is an analysis that only takes what the agent delivers besides the result.
type finish struct {
	task   wire.Task
	folder *results.CellFolder
	hooks  agent.Hooks
}

func (finish) Interval(record.Interval, func()) {}

func (finish) Provisional(*results.Cell) {}

func (f finish) Finish(_ *results.Cell, raw measure.Raw) error {
	f.hooks.Spanned(raw.FirstDone, raw.LastDone)
	if len(f.task.Cell.Settings.Faults) == 0 {
		return nil
	}
	return f.folder.SaveImpact([]byte("impact of " + f.task.ID))
}

// folder is where a cell goes.
func folder(t *testing.T) *results.CellFolder {
	t.Helper()
	store, err := results.Create(t.TempDir(), "run", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	f, err := store.CreateCell("cell")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestACellIsMeasuredByAgents(t *testing.T) {
	s := newSite(t, 3)
	c := s.coordinate(nil)
	var ends []<-chan error
	for i := range s.names {
		ends = append(ends, s.join(i, "v1", onLoopback))
	}
	for range 2 { // one after the other
		to := folder(t)
		parts, start, err := c.Measure(t.Context(), cell(3), "cell", to, coordinator.Central{})
		if err != nil {
			t.Fatal(err)
		}
		sum, err := merge.Cell(cell(3), start, parts, merge.Options{Folder: to})
		if err != nil || sum.Ledger.Due != 100 || sum.Ledger.Check() != nil || len(sum.Agents) != 3 {
			t.Errorf("%+v, %v", sum, err)
		}
		if late := time.Since(start); late < time.Second || late > time.Minute {
			t.Errorf("it began %v ago", late)
		}
		for _, name := range s.names {
			if _, err := os.Stat(filepath.Join(to.Dir(), results.AgentsFolder, name, results.IntervalsFile)); err != nil {
				t.Error(err)
			}
		}
	}
	c.End(t.Context())
	for i, end := range ends {
		if err := <-end; err != nil {
			t.Errorf("agent %d: %v", i, err)
		}
	}
}

func TestAnAgentThatCannotMeasureEndsTheCell(t *testing.T) {
	s := newSite(t, 2)
	c := s.coordinate(nil)
	s.join(0, "v1", onLoopback)
	s.join(1, "v1", func(context.Context, wire.Task, string, agent.Hooks) error { return errors.New("connection refused") })
	_, _, err := c.Measure(t.Context(), cell(2), "cell", folder(t), coordinator.Central{})
	if err == nil || !strings.Contains(err.Error(), "agent a2: connection refused") || errors.Is(err, coordinator.ErrLost) {
		t.Error(err)
	}
}

func TestAgentsThatAreNotThere(t *testing.T) {
	s := newSite(t, 2)
	c := s.coordinate(func(cfg *coordinator.Config) { cfg.Wait = time.Second })
	s.join(0, "v1", onLoopback)
	s.says("a1", wire.Idle)
	_, _, err := c.Measure(t.Context(), cell(2), "cell", folder(t), coordinator.Central{})
	if !errors.Is(err, coordinator.ErrLost) || !strings.Contains(err.Error(), "agents a2 are not there after 1s") {
		t.Error(err)
	}
}

func TestAnAgentOfAnotherVersionIsRefused(t *testing.T) {
	s := newSite(t, 1)
	s.coordinate(nil)
	if err := <-s.join(0, "v2", onLoopback); err == nil || !strings.Contains(err.Error(), "this is brokerbench v2, and the coordinator v1") {
		t.Error(err)
	}
}

// A coordinator that resumes a run gives a task to an agent that still measures for the one that
// died.
func TestAnAgentTakesATaskOfTheNextCoordinator(t *testing.T) {
	s := newSite(t, 1)
	var conn *nats.Conn
	first := s.coordinate(func(cfg *coordinator.Config) { conn = cfg.Conn })
	begun, names := make(chan struct{}), make(chan string, 2)
	ended := s.join(0, "v1", func(ctx context.Context, task wire.Task, dir string, hooks agent.Hooks) error {
		names <- task.Run
		if len(names) == 1 {
			close(begun)
			<-ctx.Done()
			return ctx.Err()
		}
		return onLoopback(ctx, task, dir, hooks)
	})
	go func() { _, _, _ = first.Measure(t.Context(), cell(1), "cell", folder(t), coordinator.Central{}) }()
	<-begun
	conn.Close()
	next := s.coordinate(func(cfg *coordinator.Config) { cfg.First = 1000 })
	if _, _, err := next.Measure(t.Context(), cell(1), "cell", folder(t), coordinator.Central{}); err != nil {
		t.Error(err)
	}
	if a, b := <-names, <-names; a != "run-0" || b != "run-1000" {
		t.Errorf("the names of the topics begin with %s and %s", a, b)
	}
	next.End(t.Context())
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// An interruption before the first message is due leaves nothing under way.
func TestAnInterruptionBeforeTheStart(t *testing.T) {
	s := newSite(t, 1)
	c := s.coordinate(nil)
	ctx, cancel := context.WithCancel(t.Context())
	s.join(0, "v1", func(ctx context.Context, _ wire.Task, _ string, hooks agent.Hooks) error {
		cancel()
		_, err := hooks.Ready(ctx)
		return err
	})
	if _, _, err := c.Measure(ctx, cell(1), "cell", folder(t), coordinator.Central{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
