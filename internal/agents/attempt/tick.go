package attempt

import (
	"cmp"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// Tick says what to do now. It is called about ten times a second, after all that was
// heard until then.
func (m *Machine) Tick(now time.Duration) []Action {
	m.discount(now)
	m.expire(now)
	m.advance(now)
	return m.orders(now)
}

// discount extends the agents' leases by the time that this process was paused: it missed their
// beats, and they are not to blame.
func (m *Machine) discount(now time.Duration) {
	if gap := now - m.last; gap > stall {
		for _, a := range m.agents {
			a.heard += gap
		}
		if m.phase != arming { // the start does not wait
			m.limit += gap
		}
	}
	m.last = now
}

// expire finds the agents whose lease has ended, long enough ago that they have stopped.
func (m *Machine) expire(now time.Duration) {
	for _, a := range m.present() {
		if silent := now - a.heard; silent > m.cfg.Lease+Grace && a.state != wire.Delivered {
			m.lose(a, fmt.Sprintf("not heard of for %v", silent.Round(time.Second/10)))
		}
	}
}

// advance takes the attempt as far as the reports allow.
func (m *Machine) advance(now time.Duration) {
	if m.phase < stopping && m.phase != running {
		m.check(now)
	}
	switch m.phase {
	case preparing:
		if m.all(wire.Prepared) {
			m.phase, m.limit = syncing, now+m.cfg.Sync
		} else if now > m.limit {
			m.stop(now, GivenUp, fmt.Sprintf("agents %s were not ready after %v", m.those(wire.Prepared), m.cfg.Prepare))
		}
	case syncing:
		m.sync(now)
	case arming:
		if m.all(wire.Armed, wire.Running) {
			m.phase, m.limit = running, m.start+m.cfg.Took
		} else if now >= m.limit {
			m.stop(now, GivenUp, fmt.Sprintf("agents %s did not answer before the start", m.those(wire.Armed, wire.Running)))
		}
	case running:
		m.run(now)
	case stopping:
		if m.all(wire.Idle, wire.Delivered, wire.Aborted, wire.Failed) || now > m.limit {
			m.phase = over
		}
	case over:
	}
}

// check ends an attempt whose messages are not due yet if there is a reason.
func (m *Machine) check(now time.Duration) {
	for _, a := range m.present() {
		if a.state == wire.Failed {
			m.stop(now, Broken, fmt.Sprintf("agent %s: %s", a.name, a.error))
			return
		}
		if a.state == wire.Aborted {
			m.lose(a, a.error)
		}
	}
	switch {
	case m.losses() != "":
		m.stop(now, GivenUp, m.losses())
	case m.interrupted:
		m.stop(now, Interrupted, "interrupted before the first message was due")
	}
}

// sync goes on once all clocks are known well enough. One that is not is read again until the
// limit: a single wide reading may be due to a moment in which the network was busy.
func (m *Machine) sync(now time.Duration) {
	rtt, all := time.Duration(0), true
	for _, a := range m.agents {
		wide := m.wide(a)
		switch {
		case !a.synced && now > m.limit:
			m.stop(now, GivenUp, fmt.Sprintf("agent %s did not say what its clock shows within %v", a.name, m.cfg.Sync))
			return
		case wide && now > m.limit:
			m.stop(now, Broken, fmt.Sprintf("agent %s: its clock is known to ±%v after %v, and --max-skew is %v", a.name, a.clock.Bound.Round(time.Microsecond), m.cfg.Sync, m.cfg.MaxSkew))
			return
		}
		all = all && !wide
		rtt = max(rtt, a.clock.RTT)
	}
	if !all {
		return
	}
	m.phase, m.start = arming, now+max(leastLead, 10*rtt)
	m.limit = m.start - max(leastTime, 2*rtt)
}

// wide tells whether an agent's clock is not known well enough.
func (m *Machine) wide(a *member) bool {
	if m.cfg.MaxSkew == 0 && a.readings >= enoughReadings {
		return !a.synced
	}
	return !a.synced || a.clock.Bound > cmp.Or(m.cfg.MaxSkew, UsualSkew)
}

// run waits for the results.
func (m *Machine) run(now time.Duration) {
	for _, a := range m.present() {
		switch {
		case a.state == wire.Failed || a.state == wire.Aborted:
			m.lose(a, a.error)
		case a.state != wire.Delivered && now > max(m.limit, a.advanced+m.cfg.Deliver):
			m.lose(a, "it has not delivered its result")
		}
	}
	switch {
	case len(m.present()) == 0, m.losses() != "" && !m.cfg.Keep:
		m.stop(now, GivenUp, m.losses())
	case m.all(wire.Delivered):
		m.phase, m.end, m.reason = over, Measured, m.losses()
	}
}

// stop ends the attempt, once the agents have.
func (m *Machine) stop(now time.Duration, end End, reason string) {
	m.phase, m.end, m.reason, m.limit = stopping, end, reason, now+farewell
}

// orders returns what the agents have to be told, again and again until they do it.
func (m *Machine) orders(now time.Duration) (list []Action) {
	for _, a := range m.agents {
		if a.lost != "" && (m.phase != stopping || a.lost != Leaves) { // an agent that leaves would deliver an unwanted result
			continue
		}
		kind, wanted := m.wants(a)
		if asked, before := a.asked[kind]; !wanted || before && now-asked < repeat {
			continue
		}
		a.asked[kind] = now
		list = append(list, Action{Agent: a.name, Kind: kind, Start: m.start})
	}
	return list
}

// wants returns what an agent has to do that it has not done.
func (m *Machine) wants(a *member) (kind wire.Kind, wanted bool) {
	switch m.phase {
	case preparing:
		return wire.Prepare, a.state == wire.Idle
	case syncing:
		return wire.Clock, m.wide(a)
	case arming:
		return wire.Start, a.state == wire.Prepared
	case running:
		return wire.Stop, m.interrupted && (a.state == wire.Armed || a.state == wire.Running)
	case stopping:
		return wire.Forget, a.state != wire.Idle && a.state != wire.Delivered && a.state != wire.Aborted && a.state != wire.Failed
	case over:
	}
	return "", false
}
