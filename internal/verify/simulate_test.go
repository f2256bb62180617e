package verify

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// noise is how long a step takes that takes no time by itself.
type noise func() time.Duration

func quiet() time.Duration { return 100 * time.Nanosecond }

// busy is a machine that keeps a process from running now and then: in one of a
// thousand steps for up to 400 ms.
func busy(seed uint64) noise {
	draw := rand.New(rand.NewPCG(seed, 1))
	return func() time.Duration {
		switch n := draw.IntN(1000); {
		case n < 1:
			return time.Duration(draw.IntN(int(400 * ms)))
		case n < 100:
			return time.Duration(draw.IntN(int(5 * ms)))
		}
		return time.Duration(draw.IntN(int(100 * time.Microsecond)))
	}
}

// simulate runs a scenario as the engine should, with noise in every step but the
// few instructions between the engine's readings of the clock and the station's.
func simulate(s Scenario, wait noise) *run {
	r := &run{cell: s.Cell, system: &s.System}
	connections := s.Cell.Shape.Connections
	list := dues(s.Cell)
	r.messages = make([]message, len(list))
	var sender time.Duration   // when the sender is free
	var punctual time.Duration // when one would be that loses no time of its own
	last := list[len(list)-1] + s.Cell.Settings.Timeout
	for n, due := range list {
		m := &r.messages[n]
		*m = message{conn: n % connections, seq: n / connections, due: due}
		if n >= connections {
			m.before = &r.messages[n-connections]
		}
		op := &load.Op{Conn: m.conn, Seq: uint64(m.seq), Due: due, Warmup: due < s.Cell.Settings.Warmup}
		op.Sent = max(due, sender) + wait()
		if b := m.before; b != nil && s.serial() {
			free := b.earliest + s.Cell.Settings.Timeout + wait()
			if b.op != nil {
				free = min(free, b.op.Done+quiet())
			}
			op.Queued = free > op.Sent
			op.Sent = max(op.Sent, free, b.answered)
		}
		m.earliest = r.earliest(m)
		m.asked = op.Sent + quiet()
		m.answered = max(m.asked, held(s.Holds, m.asked)) + wait()
		m.held = max(punctual-due, 0)
		punctual = max(punctual, due)
		if !op.Queued {
			op.Held = m.held
			sender = m.answered
			punctual += m.answered - m.asked
		}
		m.came = m.asked + wait()
		r.began = r.messages[0].came
		if s.System.Drops(m.seq) {
			continue
		}
		m.left = max(s.System.ReplyAt(m.came-r.began)+r.began, m.came) + wait()
		m.handed = m.left + wait()
		op.Done = m.handed + quiet()
		m.returned = op.Done + wait()
		m.op = op
		last = max(last, m.returned)
	}
	r.elapsed = max(last, s.Cell.Settings.Warmup+s.Cell.Settings.Duration+s.Cell.Settings.Timeout)
	r.report()
	return r
}

// report makes the result of what is recorded.
func (r *run) report() {
	r.reported = newSeries()
	c := &results.Cell{Plan: r.cell, ElapsedNS: int64(r.elapsed)}
	for i := range r.window() {
		m := &r.window()[i]
		c.Ledger.Due++
		switch {
		case m.op != nil:
			c.Ledger.Done++
			r.reported[responseTag].Record(m.op.Response())
			r.reported[serviceTag].Record(m.op.Service())
			if !m.op.Queued {
				r.reported[lagTag].Record(m.op.Lag())
				r.reported[heldTag].Record(m.op.Held)
			}
		default:
			c.Ledger.Lost++
		}
	}
	c.Response = results.NewDistribution(r.reported[responseTag], c.Ledger.Missing())
	c.Service = results.NewDistribution(r.reported[serviceTag], c.Ledger.Missing())
	c.Lag = results.NewDistribution(r.reported[lagTag], 0)
	c.Held = results.NewDistribution(r.reported[heldTag], 0)
	r.result = c
}

// replace puts another histogram in the place of a series.
func (r *run) replace(tag string, h *histogram.Histogram) {
	r.reported[tag] = h
	d := results.NewDistribution(h, r.result.Ledger.Missing())
	switch tag {
	case responseTag:
		r.result.Response = d
	case lagTag:
		r.result.Lag = d
	}
}

func disagreeing(c Check) (names []string) {
	for _, r := range c.Rows {
		if !r.Agrees {
			names = append(names, r.Name+": "+r.Where)
		}
	}
	return names
}

// Whatever the machine does, an engine that is right agrees.
func TestNoiseNeverDisagrees(t *testing.T) {
	for seed := range uint64(8) {
		for _, s := range Scenarios(Settings{Duration: 2 * time.Second}) {
			if names := disagreeing(simulate(s, busy(seed)).check(s.Name, predict(s), "")); names != nil {
				t.Fatalf("seed %d, %s, %s: %q", seed, s.Name, s.Mode(), names)
			}
		}
	}
}

// On a machine without noise arithmetic agrees, too.
func TestArithmeticAgreesOnAQuietMachine(t *testing.T) {
	for _, s := range Scenarios(Settings{}) {
		for _, row := range simulate(s, quiet).check(s.Name, predict(s), "").Rows {
			if row.Ideal == nil {
				continue
			}
			if row.To == nil || *row.Ideal < *row.From-int64(ms) || *row.Ideal > *row.To+int64(ms) {
				t.Errorf("%s, %s: %s: %d by arithmetic, %v to %v by the witnesses", s.Name, s.Mode(), row.Name, *row.Ideal, *row.From, *row.To)
			}
		}
	}
}
