package coordinator_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/agent"
	"github.com/brokerbench/brokerbench/internal/agents/coordinator"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/plan"
)

// An aide notes what it is told, in order, and takes a while to heal.
type aide struct {
	mu    sync.Mutex
	said  []string
	begun time.Time
}

func (a *aide) note(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.said = append(a.said, text)
}

func (a *aide) Prepare(run string) error {
	a.note("prepare " + run)
	return nil
}

func (a *aide) Begin(start time.Time) error {
	a.begun = start
	a.note("begin")
	return nil
}

func (a *aide) Heal() {
	time.Sleep(300 * time.Millisecond)
	a.note("healed")
}

func (a *aide) End(measured bool) error {
	a.note(fmt.Sprintf("end %v", measured))
	return nil
}

// brokenCell is one in which something breaks that is the agents' own.
func brokenCell(agents int) plan.Cell {
	c := cell(agents)
	c.Settings.Faults = []plan.Fault{{At: 300 * time.Millisecond, Do: plan.ConsumerPause, For: 200 * time.Millisecond}}
	return c
}

// settling measures a part on a loopback, and notes when it goes on after it has settled.
func (a *aide) settling(ctx context.Context, t wire.Task, dir string, hooks agent.Hooks) error {
	return onLoopbackUntil(ctx, t, dir, hooks, func() {
		a.note("settled")
		hooks.Settled()
		a.note("goes on")
	})
}

// Agents go on to the audit once all of them have settled and all is healed, and what they know
// of the fault comes with their results.
func TestAgentsWaitUntilAllIsHealed(t *testing.T) {
	s, a := newSite(t, 2), new(aide)
	c := s.coordinate(nil)
	for i := range s.names {
		s.join(i, "v1", a.settling)
	}
	parts, start, err := c.Measure(t.Context(), brokenCell(2), "cell", folder(t), coordinator.Central{Driver: a})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"prepare run-0", "begin", "settled", "settled", "healed", "goes on", "goes on", "end true"}; !slices.Equal(a.said, want) {
		t.Errorf("%q, want %q", a.said, want)
	}
	if !a.begun.Equal(start) {
		t.Errorf("it was told that messages are due from %v on, and they were from %v", a.begun, start)
	}
	for _, p := range parts {
		if string(p.Faults) != "impact of cell" {
			t.Errorf("agent %s: %q", p.Name, p.Faults)
		}
	}
}

// An attempt that is given up is healed before the next one begins.
func TestAnAttemptThatIsGivenUpIsHealed(t *testing.T) {
	s, a := newSite(t, 2), new(aide)
	c := s.coordinate(nil)
	s.join(0, "v1", a.settling)
	failed := false
	s.join(1, "v1", func(ctx context.Context, task wire.Task, dir string, hooks agent.Hooks) error {
		if failed {
			return a.settling(ctx, task, dir, hooks)
		}
		failed = true
		start, err := hooks.Ready(ctx)
		if err != nil {
			return err
		}
		hooks.Started(start)
		time.Sleep(time.Until(start) + 200*time.Millisecond) // messages are due
		return errors.New("it broke down")
	})
	if _, _, err := c.Measure(t.Context(), brokenCell(2), "cell", folder(t), coordinator.Central{Driver: a}); err != nil {
		t.Fatal(err)
	}
	first, second := slices.Index(a.said, "end false"), slices.Index(a.said, "prepare run-2")
	healed := slices.Index(a.said, "healed")
	if first < 0 || second < first || healed < 0 || healed > first || a.said[len(a.said)-1] != "end true" {
		t.Errorf("%q", a.said)
	}
}
