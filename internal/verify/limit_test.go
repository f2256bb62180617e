package verify_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/verify"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// gate is a system in this process that a pauser stops.
type gate struct{ open sync.RWMutex }

func (g *gate) Pause() error    { g.open.Lock(); return nil }
func (g *gate) Continue() error { g.open.Unlock(); return nil }

// pass returns when the system runs, a moment later.
func (g *gate) pass() {
	g.open.RLock()
	defer g.open.RUnlock()
	time.Sleep(100 * time.Microsecond)
}

// several is a system that carries four messages at a time over each connection.
type several struct{ gate *gate }

func (s several) New(_ int, sink requester.Sink) (requester.Requester, error) {
	return &severalConn{gate: s.gate, sink: sink}, nil
}

type severalConn struct {
	gate *gate
	sink requester.Sink
	ops  sync.WaitGroup
}

func (*severalConn) Traits() requester.Traits         { return requester.Traits{InFlight: 4} }
func (*severalConn) Setup(context.Context) error      { return nil }
func (c *severalConn) Teardown(context.Context) error { c.ops.Wait(); return nil }
func (c *severalConn) Request(_ context.Context, payload []byte) error {
	payload = append([]byte(nil), payload...)
	c.ops.Go(func() {
		c.gate.pass()
		c.sink.Reply(payload)
	})
	return nil
}

// A requester that carries few messages at a time has a queue in front of it while its system
// is paused, and also when it fails.
func TestLiveOfARequesterWithALimit(t *testing.T) {
	echo := func(g *gate, fails func() bool) requester.Factory {
		return requester.Blocking(func(_ context.Context, payload []byte) ([]byte, error) {
			if g.pass(); fails() {
				return nil, errors.New("refused")
			}
			return payload, nil
		})
	}
	var calls atomic.Int64
	tests := map[string]struct {
		factory func(*gate) requester.Factory
		mode    string
	}{
		"one":     {func(g *gate) requester.Factory { return echo(g, func() bool { return false }) }, "one in flight"},
		"failing": {func(g *gate) requester.Factory { return echo(g, func() bool { return calls.Add(1)%10 == 0 }) }, "one in flight"},
		"several": {func(g *gate) requester.Factory { return several{g} }, "at most 4 in flight"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g := new(gate)
			cell := plan.Cell{
				Target: plan.Target{Name: name}, Shape: plan.Shape{Rate: 500, Size: 64, Connections: 1},
				Settings: plan.Settings{Duration: time.Second, Timeout: 2 * time.Second},
			}
			check, err := verify.Live(t.Context(), tt.factory(g), cell, g, loopback.Freeze{At: 300 * time.Millisecond, For: 400 * time.Millisecond}, measure.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range disagreeing([]verify.Check{check}) {
				t.Error(row)
			}
			if check.Mode != tt.mode || check.Answer != verify.Agrees {
				t.Errorf("%s: %s %s, want %s", check.Mode, check.Answer, check.Reason, tt.mode)
			}
		})
	}
}
