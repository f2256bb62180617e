// Package attempt decides what the coordinator of agents does for one attempt to measure
// a cell: when the agents prepare, agree on their clocks, begin, and which of them are
// lost. It has no clock, no network and no goroutine: it is told what happened and when,
// and says what to do. Times are offsets on the coordinator's own monotonic clock.
//
//	preparing ─► syncing ─► arming ─► running ─► measured
//	    │           │          │         │
//	    └───────────┴──────────┴─────────┴──► stopping ─► given up, broken, interrupted
//
// All is repeated until the reports show that it was heard: reports and orders may be
// lost, late or doubled.
package attempt

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// A Config says what an attempt is about.
type Config struct {
	Key    string   // of the attempt, in every report and order
	Agents []string // that take part, all of them or none

	Prepare time.Duration // how long agents may take to connect, probe and measure floors
	Sync    time.Duration // how long they may take to agree on their clocks
	Due     time.Duration // from the start until the last message is due
	Took    time.Duration // from the start until all must have delivered
	Deliver time.Duration // how long an agent may take for each chunk of its result, beyond that
	Lease   time.Duration // for how long an agent may be silent
	MaxSkew time.Duration // the bound of an agent's clock may not be wider; 0: as wide as its round trips make it
	Keep    bool          // go on without an agent that is lost while messages are due
}

// Grace is how long after the end of its lease a silent agent is lost: it has stopped its load
// by then.
const Grace = 2 * time.Second

// Limits of the machine. See the measurements in docs/decisions.
const (
	repeat    = time.Second            // between two orders of the same kind
	stall     = time.Second            // ticks that are further apart: this process itself stood still
	leastLead = time.Second            // from the order to start to the start
	leastTime = 300 * time.Millisecond // from the last answer to the start
	farewell  = 10 * time.Second       // how long agents may take to stop

	enoughReadings = 3 // of a clock: round trips that are as long in all of them are those of the network
)

// UsualSkew is how well clocks are known on most networks: one that is not is read again.
const UsualSkew = 5 * time.Millisecond

// A phase is how far the attempt is.
type phase int

const (
	preparing phase = iota
	syncing
	arming
	running
	stopping
	over
)

// An End is how an attempt ended.
type End string

// The ends.
const (
	Measured    End = "measured"    // every agent that is not lost has delivered
	GivenUp     End = "given up"    // an agent was lost or late: another attempt may do
	Broken      End = "broken"      // an agent cannot measure: another attempt would not do
	Interrupted End = "interrupted" // before the first message was due
)

// A Clock is what is known of an agent's clock.
type Clock struct {
	Offset time.Duration // its reading when the coordinator's shows 0
	Bound  time.Duration // by how much the offset may be wrong
	RTT    time.Duration // of the shortest exchange
}

// An Action is something to do now.
type Action struct {
	Agent string
	Kind  wire.Kind
	Start time.Duration // of wire.Start
}

// A Machine is an attempt under way. It is for one goroutine.
type Machine struct {
	cfg    Config
	phase  phase
	agents []*member
	limit  time.Duration // when the phase must be over
	start  time.Duration // of the schedule; 0 before it is known
	last   time.Duration // the last tick

	end         End
	reason      string
	interrupted bool
}

// New returns an attempt that begins now. All agents were heard of just before.
func New(cfg Config, now time.Duration) *Machine {
	m := &Machine{cfg: cfg, limit: now + cfg.Prepare, last: now}
	for _, name := range cfg.Agents {
		m.agents = append(m.agents, &member{name: name, state: wire.Idle, heard: now, asked: make(map[wire.Kind]time.Duration)})
	}
	return m
}

// Continue returns an attempt whose agents began at start, and may have their results by now.
func Continue(cfg Config, now, start time.Duration, clocks map[string]Clock) *Machine {
	m := New(cfg, now)
	m.phase, m.start, m.limit = running, start, max(start+cfg.Took, now+cfg.Deliver)
	for _, a := range m.agents {
		a.clock, a.synced = clocks[a.name], true
	}
	return m
}

// Report takes what an agent said of itself.
func (m *Machine) Report(now time.Duration, agent, key string, state wire.State, failure string) {
	a := m.member(agent)
	if a == nil || a.lost != "" {
		return
	}
	a.heard = max(a.heard, now)
	switch {
	case key != m.cfg.Key:
		if a.state != wire.Idle { // it had this task, and has it no more
			m.lose(a, "it no longer knows of the cell: it was started again")
		}
	case state == wire.Ended:
		m.Lost(agent, "it has ended")
	case rank(state) >= rank(a.state): // an older report may come later
		a.state, a.error = state, failure
	}
}

// rank orders the states.
func rank(s wire.State) int {
	return slices.Index([]wire.State{wire.Idle, wire.Preparing, wire.Prepared, wire.Armed, wire.Running, wire.Done, wire.Delivered, wire.Aborted, wire.Failed}, s)
}

// Synced takes a reading of an agent's clock, and returns whether it is the best so far.
func (m *Machine) Synced(agent string, clock Clock) bool {
	a := m.member(agent)
	if a == nil || m.phase != syncing {
		return false
	}
	if a.readings++; a.synced && clock.Bound >= a.clock.Bound {
		return false
	}
	a.clock, a.synced = clock, true
	return true
}

// Lost records that an agent is gone, for example because its process has ended.
func (m *Machine) Lost(agent, why string) {
	if a := m.member(agent); a != nil && a.state != wire.Delivered {
		m.lose(a, why)
	}
}

// GiveUp ends the attempt, before a message was due, for a reason that is none of the agents.
func (m *Machine) GiveUp(now time.Duration, reason string) {
	if m.phase < stopping {
		m.start = 0
		m.stop(now, GivenUp, reason)
	}
}

// Advance takes that more of an agent's result has come: it is slow, and not stuck.
func (m *Machine) Advance(now time.Duration, agent string) {
	if a := m.member(agent); a != nil {
		a.advanced = now
	}
}

// Leaves is why an agent is lost whose user ended it.
const Leaves = "its user ended it"

// Leave records that an agent's user ended it. Before messages are due, and later if losing the
// agent does not end the cell, the agent is lost at once. Otherwise the part that it has
// measured by then counts once it is delivered.
func (m *Machine) Leave(now time.Duration, agent string) {
	if m.phase < running || m.phase == running && !m.cfg.Keep && now < m.start+m.cfg.Due {
		m.Lost(agent, Leaves)
	}
}

// Interrupt ends the attempt. The agents deliver the measurements that they have so far, within
// the time that all have after the last message.
func (m *Machine) Interrupt(now time.Duration) {
	m.interrupted = true
	if m.phase == running {
		m.limit = min(m.limit, now+m.cfg.Took-m.cfg.Due)
	}
}

// Abandon ends the attempt at once, without the results that are not yet delivered.
func (m *Machine) Abandon() {
	if m.phase == running && slices.ContainsFunc(m.agents, func(a *member) bool { return a.state == wire.Delivered }) {
		for _, a := range m.present() {
			if a.state != wire.Delivered {
				m.lose(a, "its result was not waited for")
			}
		}
		m.phase, m.end, m.reason = over, Measured, m.losses()
		return
	}
	if m.phase < running {
		m.start = 0
	}
	if m.phase < stopping {
		m.end, m.reason = Interrupted, "given up by the user"
	}
	m.phase = over
}

// End returns how the attempt ended and why; "" if it has not.
func (m *Machine) End() (end End, reason string) {
	if m.phase != over {
		return "", ""
	}
	return m.end, m.reason
}

// Start returns when the schedule begins; 0 before that is known.
func (m *Machine) Start() time.Duration { return m.start }

// Clock returns what is known of an agent's clock.
func (m *Machine) Clock(agent string) Clock { return m.member(agent).clock }

// Losses returns why agents were lost, by their names.
func (m *Machine) Losses() map[string]string {
	losses := make(map[string]string)
	for _, a := range m.agents {
		if a.lost != "" {
			losses[a.name] = a.lost
		}
	}
	return losses
}

// Quiet returns the agents that were not heard of for longer than 1.5 s.
func (m *Machine) Quiet(now time.Duration) (names []string) {
	for _, a := range m.agents {
		if a.lost == "" && now-a.heard > 1500*time.Millisecond {
			names = append(names, a.name)
		}
	}
	return names
}
