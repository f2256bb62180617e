package attempt_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/attempt"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// want runs the world and wants it to end in a way, for a reason.
func want(t *testing.T, w *world, limit time.Duration, end attempt.End, reason string) {
	t.Helper()
	got, why := w.until(limit)
	if got != end || !strings.Contains(why, reason) {
		t.Fatalf("after %v: %q, %q; want %q, %q", w.now, got, why, end, reason)
	}
}

// Clocks that are hours apart: all begin within a step of the simulation.
func TestAgentsBeginTogether(t *testing.T) {
	for n := 1; n <= 40; n += 13 {
		w := newWorld(t, n, nil)
		want(t, w, time.Minute, attempt.Measured, "")
		if skew, all := w.together(); !all || skew > 10*ms {
			t.Errorf("%d agents: %v apart, all: %v", n, skew, all)
		}
		if w.now > 9*time.Second {
			t.Errorf("%d agents: over after %v", n, w.now)
		}
	}
}

// Up to half of all messages are lost, others come twice, late and in any order: the cell is
// measured once by each agent, or given up before its start.
func TestALossyNetworkChangesNothing(t *testing.T) {
	ends := map[attempt.End]int{}
	for seed := range 60 {
		w := newWorld(t, 1+seed%5, nil)
		w.drop, w.delay = float64(seed%6)/10, 300*ms
		for range seed {
			w.draw.Uint64()
		}
		end, reason := w.until(3 * time.Minute)
		ends[end]++
		skew, all := w.together()
		switch {
		case end == attempt.Measured && (!all || skew > 10*ms):
			t.Errorf("seed %d: measured, %v apart, all: %v", seed, skew, all)
		case end != attempt.Measured && end != attempt.GivenUp:
			t.Errorf("seed %d: %q, %q", seed, end, reason)
		}
		for _, f := range w.agents {
			if f.began > 1 {
				t.Errorf("seed %d: agent %s began %d times", seed, f.name, f.began)
			}
		}
	}
	if ends[attempt.Measured] == 0 {
		t.Error("none was measured")
	}
	t.Log(ends)
}

func TestAnAgentThatIsKilledGivesTheCellUp(t *testing.T) {
	w := newWorld(t, 3, nil)
	w.until(3 * time.Second)
	w.agents[1].dead = true
	want(t, w, 30*time.Second, attempt.GivenUp, "agent a2 was lost: not heard of for 12")
	for _, f := range w.agents {
		if f.name != "a2" && (f.state == wire.Running || f.state == wire.Done) {
			t.Errorf("agent %s is %s: what it sends goes on into the next attempt", f.name, f.state)
		}
	}
}

func TestAnAgentKnownToBeGoneIsLostAtOnce(t *testing.T) {
	w := newWorld(t, 3, nil)
	w.until(3 * time.Second)
	w.agents[0].dead = true
	w.m.Lost("a1", "killed")
	want(t, w, 5*time.Second, attempt.GivenUp, "agent a1 was lost: killed")
}

func TestOnLossKeepGoesOn(t *testing.T) {
	w := newWorld(t, 3, func(c *attempt.Config) { c.Keep = true })
	w.until(3 * time.Second)
	w.agents[1].dead = true
	w.m.Lost("a2", "killed")
	want(t, w, 30*time.Second, attempt.Measured, "agent a2 was lost: killed")
	if losses := w.m.Losses(); len(losses) != 1 || losses["a2"] != "killed" {
		t.Errorf("%v", losses)
	}
}

// Before the first message is due there is nothing to keep.
func TestOnLossKeepDoesNotBeginWithoutAnAgent(t *testing.T) {
	w := newWorld(t, 3, func(c *attempt.Config) { c.Keep = true })
	w.until(100 * ms)
	w.agents[1].dead = true
	w.m.Lost("a2", "killed")
	want(t, w, 30*time.Second, attempt.GivenUp, "agent a2 was lost: killed")
	if w.agents[0].begun != 0 {
		t.Error("the others began")
	}
}

// What others measure of a cell that is given up is forgotten: nobody waits until it is audited and
// delivered.
func TestWhatNobodyWantsIsForgotten(t *testing.T) {
	w := newWorld(t, 3, nil)
	w.until(3 * time.Second)
	for _, f := range w.agents {
		f.packs = 2 * time.Minute
	}
	w.agents[0].state, w.agents[0].until = wire.Done, 0
	w.agents[1].dead = true
	w.m.Lost("a2", "killed")
	want(t, w, w.now+3*time.Second, attempt.GivenUp, "agent a2 was lost: killed")
	for _, f := range w.agents {
		if f.name != "a2" && (f.state != wire.Aborted || f.stops != 0) {
			t.Errorf("agent %s is %s after %d orders to stop and deliver", f.name, f.state, f.stops)
		}
	}
}

// One reading may be wide because the network was busy for a moment.
func TestAWideReadingOfAClockIsTakenAgain(t *testing.T) {
	w := newWorld(t, 3, nil)
	w.agents[1].wide = 3
	want(t, w, time.Minute, attempt.Measured, "")
	if bound := w.m.Clock("a2").Bound; bound != 50*time.Microsecond {
		t.Errorf("its clock is known to ±%v", bound)
	}
	if w.m.Synced("a2", attempt.Clock{Bound: 1}) {
		t.Error("a reading after the start replaces the one that the start went by")
	}
}

// A cut that is shorter than the lease changes nothing; a longer one loses the agent, which
// has stopped before the coordinator says so.
func TestCuts(t *testing.T) {
	w := newWorld(t, 3, nil)
	w.agents[2].cut = [2]time.Duration{3 * time.Second, 9 * time.Second}
	want(t, w, time.Minute, attempt.Measured, "")

	w = newWorld(t, 3, func(c *attempt.Config) { c.Took = 5 * time.Minute })
	w.until(3 * time.Second)
	for _, f := range w.agents {
		f.until = w.now + time.Minute
	}
	w.agents[2].cut = [2]time.Duration{w.now, time.Hour}
	cut := w.now
	w.until(cut + lease + 1500*ms)
	if w.agents[2].state == wire.Running {
		t.Error("the agent that was cut off still sends when it is about to be given up")
	}
	want(t, w, 2*time.Minute, attempt.GivenUp, "agent a3 was lost: not heard of for")
}

// A coordinator that stands still hears nobody: that is no loss.
func TestACoordinatorThatStandsStillLosesNobody(t *testing.T) {
	w := newWorld(t, 3, nil)
	w.until(2 * time.Second)
	for _, f := range w.agents {
		f.heard = time.Hour // agents that are not cut off from each other's sight
	}
	w.stopped = w.now + 20*time.Second
	for _, f := range w.agents {
		f.until = w.now + 30*time.Second
	}
	want(t, w, time.Minute, attempt.Measured, "")
}

func TestWhatEndsAnAttemptBeforeItBegins(t *testing.T) {
	w := newWorld(t, 3, nil)
	w.agents[1].refuses = "dial tcp: connection refused"
	want(t, w, time.Minute, attempt.Broken, "agent a2: dial tcp: connection refused")

	w = newWorld(t, 3, nil)
	w.agents[1].bound = 8 * ms
	want(t, w, time.Minute, attempt.Broken, "agent a2: its clock is known to ±8ms after 10s, and --max-skew is 5ms")

	w = newWorld(t, 3, func(cfg *attempt.Config) { cfg.MaxSkew = 0 }) // its round trips are that long
	w.agents[1].bound = 8 * ms
	want(t, w, time.Minute, attempt.Measured, "")
	if got := w.m.Clock("a2").Bound; got != 8*ms {
		t.Errorf("its clock is known to ±%v, want ±8ms", got)
	}

	w = newWorld(t, 3, nil)
	w.agents[1].slow = 2 * time.Minute
	want(t, w, 3*time.Minute, attempt.GivenUp, "agents a2 were not ready after 1m0s")

	w = newWorld(t, 3, nil)
	w.until(100 * ms)
	w.m.Interrupt(w.now)
	want(t, w, time.Minute, attempt.Interrupted, "interrupted before the first message was due")
	for _, f := range w.agents {
		if f.begun != 0 {
			t.Errorf("agent %s began", f.name)
		}
	}
}

// What was measured until an interruption is delivered.
func TestAnInterruptedCellIsDelivered(t *testing.T) {
	w := newWorld(t, 3, nil)
	w.until(3 * time.Second)
	w.m.Interrupt(w.now)
	want(t, w, 5*time.Second, attempt.Measured, "")
}

// An agent that was started again does not know of the cell.
func TestAnAgentThatWasStartedAgainIsLost(t *testing.T) {
	w := newWorld(t, 2, nil)
	w.until(3 * time.Second)
	w.agents[0].key, w.agents[0].state = "", wire.Idle
	want(t, w, 10*time.Second, attempt.GivenUp, "agent a1 was lost: it no longer knows of the cell")
}

// leave has the user of an agent end it: it stops and delivers what it has.
func (w *world) leave(i int) {
	w.m.Leave(w.now, w.agents[i].name)
	w.agents[i].stop("its user ended it")
}

// An agent that its user ends is lost before messages are due, and while they are if the cell
// would be given up for it anyway; else what it delivers counts.
func TestAnAgentThatLeaves(t *testing.T) {
	w := newWorld(t, 3, nil)
	w.until(100 * ms)
	w.leave(1)
	want(t, w, 2*time.Second, attempt.GivenUp, "agent a2 was lost: its user ended it")

	w = newWorld(t, 3, nil)
	w.agents[1].packs = time.Minute
	w.until(3 * time.Second)
	w.leave(1)
	want(t, w, 5*time.Second, attempt.GivenUp, "agent a2 was lost: its user ended it")
	for _, l := range w.mail { // what is still on its way
		l.say()
	}
	if a := w.agents[1]; a.state != wire.Aborted {
		t.Errorf("%s: it delivers what nobody wants, and keeps its seat meanwhile", a.state)
	}

	w = newWorld(t, 3, func(c *attempt.Config) { c.Keep = true })
	w.until(3 * time.Second)
	w.leave(1)
	want(t, w, time.Minute, attempt.Measured, "")
	if losses := w.m.Losses(); len(losses) != 0 {
		t.Errorf("%v: it has delivered", losses)
	}

	w = newWorld(t, 3, nil) // it audits, or delivers
	w.agents[1].packs = 4 * time.Second
	w.until(8 * time.Second)
	w.m.Leave(w.now, "a2")
	want(t, w, time.Minute, attempt.Measured, "")
}

// An agent whose last word is that it has ended delivers nothing more.
func TestAnAgentThatHasEndedIsLost(t *testing.T) {
	w := newWorld(t, 3, nil)
	w.until(3 * time.Second)
	w.agents[1].dead = true
	w.m.Report(w.now, "a2", key, wire.Ended, "")
	want(t, w, 5*time.Second, attempt.GivenUp, "agent a2 was lost: it has ended")
}

// Ctrl-C in an hour's cell does not wait an hour for an agent that is stuck.
func TestAnInterruptionDoesNotWaitForTheSchedule(t *testing.T) {
	w := newWorld(t, 3, func(c *attempt.Config) { c.Due, c.Took, c.Keep = time.Hour, time.Hour+took, true })
	w.agents[1].packs = 2 * time.Hour
	w.until(3 * time.Second)
	for _, f := range w.agents {
		f.until = w.now + time.Hour
	}
	w.m.Interrupt(w.now)
	want(t, w, w.now+took+time.Second, attempt.Measured, "agent a2 was lost: it has not delivered its result")
}

// The second Ctrl-C takes what there is.
func TestWhatIsDeliveredWhenTheUserGivesUp(t *testing.T) {
	w := newWorld(t, 3, nil)
	w.agents[1].packs = time.Hour
	w.until(8 * time.Second)
	w.m.Abandon()
	want(t, w, 10*time.Second, attempt.Measured, "agent a2 was lost: its result was not waited for")
	if losses := w.m.Losses(); len(losses) != 1 {
		t.Errorf("%v", losses)
	}
	w = newWorld(t, 3, nil)
	w.until(3 * time.Second)
	w.m.Abandon()
	want(t, w, 4*time.Second, attempt.Interrupted, "given up by the user")
}

// A result that is large, or comes over a slow link, is waited for as long as more of it comes.
func TestAResultThatComesSlowlyIsWaitedFor(t *testing.T) {
	w := newWorld(t, 2, func(c *attempt.Config) { c.Deliver = 10 * time.Second })
	w.agents[1].packs = 90 * time.Second
	for at := 5 * time.Second; at < 60*time.Second; at += 5 * time.Second {
		if end, reason := w.until(at); end != "" {
			t.Fatalf("after %v: %q, %q", w.now, end, reason)
		}
		w.m.Advance(w.now, "a2")
	}
	want(t, w, 67*time.Second, attempt.GivenUp, "agent a2 was lost: it has not delivered its result")
}
