package attempt_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/attempt"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

const (
	ms    = time.Millisecond
	key   = "7"
	lease = 10 * time.Second
	took  = 30 * time.Second
)

// A world is a coordinator, its agents and the network between them, in virtual time.
type world struct {
	t       *testing.T
	m       *attempt.Machine
	now     time.Duration
	agents  []*fake
	draw    *rand.Rand
	drop    float64       // the part of the messages that are lost
	delay   time.Duration // of a message, at most
	mail    []letter
	stopped time.Duration // until then the coordinator stands still
}

// A letter is on its way.
type letter struct {
	at  time.Duration
	say func()
}

// A fake is an agent that does what it is told.
type fake struct {
	name    string
	state   wire.State
	key     string
	error   string
	offset  time.Duration // of its clock
	bound   time.Duration
	start   time.Duration // on its clock
	begun   time.Duration // when its first message was due, on the world's clock; 0: it did not begin
	until   time.Duration // when the state changes by itself
	heard   time.Duration // when the coordinator was last heard of
	dead    bool
	cut     [2]time.Duration // from when until when nothing comes through
	beat    time.Duration    // the last
	slow    time.Duration    // how long preparing takes
	refuses string           // why it cannot measure
	wide    int              // how many readings of its clock are wide at first
	packs   time.Duration    // how long it takes to deliver, or to audit before that
	stops   int
	began   int // how often it has begun to measure
}

func newWorld(t *testing.T, n int, change func(*attempt.Config)) *world {
	w := &world{t: t, draw: rand.New(rand.NewPCG(uint64(n), 14)), delay: 2 * ms}
	cfg := attempt.Config{Key: key, Prepare: time.Minute, Sync: 10 * time.Second, Due: 5 * time.Second, Took: took, Lease: lease, MaxSkew: 5 * ms}
	for i := range n {
		name := fmt.Sprintf("a%d", i+1)
		cfg.Agents = append(cfg.Agents, name)
		w.agents = append(w.agents, &fake{name: name, state: wire.Idle, bound: 50 * time.Microsecond, offset: time.Duration(i) * time.Hour, slow: 200 * ms})
	}
	if change != nil {
		change(&cfg)
	}
	w.m = attempt.New(cfg, 0)
	return w
}

// send delivers a message, or not, or twice.
func (w *world) send(f *fake, say func()) {
	if f.dead || w.now >= f.cut[0] && w.now < f.cut[1] || w.draw.Float64() < w.drop {
		return
	}
	copies := 1
	if w.drop > 0 && w.draw.Float64() < 0.3 {
		copies = 2
	}
	for range copies {
		w.mail = append(w.mail, letter{w.now + time.Duration(w.draw.Int64N(int64(w.delay)+1)), say})
	}
}

// until runs the world until the attempt is over, or a limit.
func (w *world) until(limit time.Duration) (end attempt.End, reason string) {
	for ; w.now < limit; w.now += 10 * ms {
		for _, f := range w.agents {
			f.live(w)
		}
		if w.now < w.stopped {
			continue
		}
		due := slices.Clone(w.mail)
		w.mail = nil
		for _, l := range due {
			if l.at > w.now || w.stopped > 0 && w.now < w.stopped+300*ms { // it wakes, and has not read yet
				w.mail = append(w.mail, l)
				continue
			}
			l.say()
		}
		if w.now%(100*ms) != 0 {
			continue
		}
		for _, a := range w.m.Tick(w.now) {
			w.act(a)
		}
		if end, reason := w.m.End(); end != "" {
			return end, reason
		}
	}
	return "", ""
}

func (w *world) act(a attempt.Action) {
	f := w.agents[slices.IndexFunc(w.agents, func(f *fake) bool { return f.name == a.Agent })]
	clock := w.m.Clock(a.Agent)
	w.send(f, func() {
		if a.Kind == wire.Clock {
			bound := f.bound
			if f.wide > 0 {
				f.wide, bound = f.wide-1, 8*ms
			}
			w.send(f, func() { w.m.Synced(f.name, attempt.Clock{Offset: f.offset, Bound: bound, RTT: 2 * bound}) })
			return
		}
		f.follow(w, a.Kind, a.Start+clock.Offset)
	})
}

func (f *fake) follow(w *world, kind wire.Kind, start time.Duration) {
	if f.dead {
		return
	}
	switch kind {
	case wire.Prepare:
		if f.key != key {
			f.key, f.state, f.until = key, wire.Preparing, w.now+f.slow
		}
	case wire.Start:
		if f.state == wire.Prepared {
			f.state, f.start = wire.Armed, start
		}
	case wire.Stop:
		f.stops++
		f.stop("told to")
	case wire.Forget:
		if !slices.Contains([]wire.State{wire.Idle, wire.Delivered, wire.Failed}, f.state) {
			f.state, f.error = wire.Aborted, "nobody wants it"
		}
	case wire.Clock, wire.Healed, wire.Bye, wire.Deliver:
	}
}

// stop ends what the agent does, as the real one does.
func (f *fake) stop(why string) {
	switch f.state {
	case wire.Preparing, wire.Prepared, wire.Armed:
		f.state, f.error = wire.Aborted, why
	case wire.Running:
		f.state, f.until = wire.Done, 0
	case wire.Idle, wire.Done, wire.Delivered, wire.Aborted, wire.Failed, wire.Ended:
	}
}

// live lets time pass for the agent.
func (f *fake) live(w *world) {
	if f.dead {
		return
	}
	before := f.state
	switch {
	case f.state == wire.Preparing && w.now >= f.until && f.refuses != "":
		f.state, f.error = wire.Failed, f.refuses
	case f.state == wire.Preparing && w.now >= f.until:
		f.state = wire.Prepared
	case f.state == wire.Armed && w.now+f.offset >= f.start:
		f.state, f.begun, f.until = wire.Running, w.now, w.now+5*time.Second
		f.began++
	case f.state == wire.Running && w.now >= f.until:
		f.state, f.until = wire.Done, 0
	case f.state == wire.Done && f.until == 0:
		f.until = w.now + f.packs
	case f.state == wire.Done && w.now >= f.until:
		f.state = wire.Delivered
	}
	if w.now-f.heard > lease && f.heard > 0 {
		f.stop("its lease ended")
	}
	if f.state == before && w.now-f.beat < 500*ms {
		return
	}
	f.beat = w.now
	state, key, failure := f.state, f.key, f.error
	w.send(f, func() {
		w.m.Report(w.now, f.name, key, state, failure)
		w.send(f, func() { f.heard = w.now })
	})
}

// together tells by how much the starts of the agents differ.
func (w *world) together() (skew time.Duration, all bool) {
	least, most := time.Duration(1<<62), time.Duration(0)
	for _, f := range w.agents {
		if f.begun == 0 {
			return 0, false
		}
		least, most = min(least, f.begun), max(most, f.begun)
	}
	return most - least, true
}
