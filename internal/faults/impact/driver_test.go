package impact

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A stuck injector does not come back from healing until it is told to, or so much later.
type stuck struct {
	late                 time.Duration
	ready, begun, healed int
}

func (s *stuck) Ready(context.Context) { s.ready++ }

func (s *stuck) Begin(requester.Factory, time.Time, time.Duration) { s.begun++ }

func (s *stuck) Heal(ctx context.Context) []results.Fault {
	s.healed++
	<-ctx.Done()
	time.Sleep(s.late)
	return []results.Fault{{BeganNS: 6e9, BrokenNS: 6e9, Error: "starting node 1 as user:secret: it does not come up"}}
}

// Who gives up while everything is being healed gets the cell, which says what is not.
func TestGivingUpWhileHealing(t *testing.T) {
	for _, late := range []time.Duration{0, second / 2, time.Hour} {
		b := &stuck{late: late}
		synctest.Test(t, func(t *testing.T) {
			giveUp := make(chan struct{})
			time.AfterFunc(20*second, func() { close(giveUp) })
			began := time.Now()
			o := Options{Injector: b, GiveUp: giveUp, Redact: func(s string) string { return strings.ReplaceAll(s, "secret", "xxxxx") }}
			c, err := measured(t.Context(), &wire{reply: always(ms)}, brokenAt(100, 10*second, 5*second), o)
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > 22*second || b.ready != 1 || b.begun != 1 || b.healed != 1 {
				t.Errorf("took %v, %+v", took, *b)
			}
			want := map[bool]string{true: "user:xxxxx: it does not come up", false: "repairs did not end"}[late < time.Hour]
			if p, ok := c.Problem(results.CodeFault); !ok || !strings.Contains(p.Text, want) {
				t.Errorf("%+v, want %q", c.Problems, want)
			}
			time.Sleep(2 * time.Hour) // what was left behind ends
		})
	}
}

// A run that is interrupted while consumers stand still ends, heals, and keeps the cell.
func TestInterruptedWhileConsumersStandStill(t *testing.T) {
	var b scripted
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 8*second)
		defer cancel()
		cell := fallCell(5*second, time.Hour)
		cell.Settings.Faults = append(cell.Settings.Faults, plan.Fault{At: 15 * second, Do: plan.Kill, Node: plan.Leader})
		c, err := measured(ctx, &wire{reply: always(ms)}, cell, Options{Injector: &b})
		if err != nil {
			t.Fatal(err)
		}
		if !c.Interrupted || c.Faults[0].Impact == nil || c.Faults[0].HealedNS == nil || c.Faults[1].Done() || b.healed.IsZero() {
			t.Errorf("%+v, healed %v", c.Faults, b.healed)
		}
	})
}

// A injector that answers for consumers too does not count: they are no part of it.
func TestTheInjectorsFaultsAreInTheOrderOfThePlan(t *testing.T) {
	cell := fallCell(5*second, second)
	kill := plan.Fault{At: 10 * second, Do: plan.Kill, Node: "1"}
	cell.Settings.Faults = append(cell.Settings.Faults, kill)
	b := &scripted{faults: []results.Fault{{Plan: cell.Settings.Faults[0], Error: "not mine"}, {Plan: kill, BeganNS: 11e9, BrokenNS: 11e9}}}
	synctest.Test(t, func(t *testing.T) {
		c, err := measured(t.Context(), &wire{reply: always(ms)}, cell, Options{Injector: b})
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Faults) != 2 || c.Faults[0].Plan.Do != plan.ConsumerPause || c.Faults[0].Error != "" || c.Faults[1].Plan.Node != "1" || c.Faults[1].Impact == nil {
			t.Errorf("%+v", c.Faults)
		}
	})
}
