// Package backlog measures consumers that return to a store full of messages: it wraps the factory of
// a cell with groups of consumers. When all are set up, the members of group 0 leave, and the producers
// fill the store. Then the schedule begins. The members return at the end of its warm-up and read the
// backlog, while the producers keep the schedule.
//
// The engine does not see the messages of the backlog: their stamps have another run, and the wrapped sinks
// keep them away from it.
package backlog

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/content"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// Options say what to do besides. Each may be nil.
type Options struct {
	Cold    func() error    // drops the page cache before the members return
	Filling func(Filling)   // is called twice a second while the store is filled
	GiveUp  <-chan struct{} // ends every wait
}

// A Filling is the progress of the store that is filled.
type Filling struct {
	Elapsed  time.Duration
	Stored   int64 // messages that were acknowledged
	Messages int64 // that the backlog is to have
}

// A Backlog is that of one cell. It implements [requester.Grouper] around a factory.
type Backlog struct {
	requester.Grouper

	cfg      load.Config
	settings plan.Settings
	messages int64
	o        Options
	id       uint32
	body     content.Body

	producers []*producer
	lagging   []*member

	epoch  time.Time // when the store began to be filled
	next   atomic.Int64
	stored bits
	acked  atomic.Int64
	failed chan error // the first message that was not stored
	groups []group
	times  record.Groups // by series

	fillTook time.Duration
	cold     string // why the page cache was not dropped; "" if it was, or should not be

	mu      sync.Mutex
	start   time.Time     // of the schedule
	latest  time.Duration // offset from start at which group 0 last had a message for the first time
	reached time.Duration // offset until which the drain lasted so far

	back        atomic.Int64  // offset at which the members began to return
	bound       time.Duration // the offset until which the backlog counts as drained in time
	left        int64         // that the group did not have then
	last        time.Duration // latest then
	returning   sync.WaitGroup
	stop        context.CancelFunc // ends the return; nil before it was planned
	notBack     error              // why the members did not return
	interrupted bool
}

// group is what one group has of the backlog.
type group struct {
	has                           bits
	delivered, duplicate, corrupt atomic.Int64
	behind                        int64 // messages that it did not have when the schedule began
}

// bits has a bit for each message of the backlog.
type bits []atomic.Uint64

// set sets a bit and reports whether it was not set before.
func (b bits) set(n int64) bool {
	mask := uint64(1) << (n % 64)
	return b[n/64].Or(mask)&mask == 0
}

// New returns the backlog of a cell, which is measured with cfg, and whose topology the factory has taken.
func New(f requester.Grouper, cell plan.Cell, cfg load.Config, o Options) *Backlog {
	n := cell.Shape.Backlog.Of(cell.Shape.Size)
	if cfg.Payload.Beside { // as the engine does
		cfg.Size += requester.StampSize
	}
	b := &Backlog{
		Grouper: f, cfg: cfg, settings: cell.Settings.For(cell.Shape), messages: n, o: o, id: rand.Uint32(), //nolint:gosec // not a secret
		body:   content.New(content.Config{Size: cfg.Size, Seed: cfg.Schedule.Seed, Contents: cfg.Payload}),
		stored: make(bits, n/64+1), failed: make(chan error, 1), groups: make([]group, cfg.Topology.Groups), times: record.NewGroups(allSeries, 1),
	}
	for i := range b.groups {
		b.groups[i].has = make(bits, n/64+1)
	}
	return b
}

// Unwrap returns the factory.
func (b *Backlog) Unwrap() requester.Factory { return b.Grouper }

// New implements requester.Factory.
func (b *Backlog) New(conn int, sink requester.Sink) (requester.Requester, error) {
	p := &producer{backlog: b, conn: uint32(conn), slots: make(chan struct{}, b.slots())}
	own := sink
	own.Acked = func(payload []byte) {
		if n, ok := b.mine(payload); ok {
			p.acked(n)
			return
		}
		sink.Acked(payload)
	}
	own.Failed = func(payload []byte, cause error) {
		if _, ok := b.mine(payload); ok {
			b.fail(cause)
			return
		}
		sink.Failed(payload, cause)
	}
	made, err := b.Grouper.New(conn, own)
	if err == nil && !made.Traits().Acknowledges {
		err = requester.ErrUnacknowledged
	}
	p.Requester = made
	b.producers = append(b.producers, p)
	return p, err
}

// NewConsumer implements requester.Grouper.
func (b *Backlog) NewConsumer(at requester.Member, sink requester.Sink) (requester.Consumer, error) {
	own := sink
	own.Reply = func(payload []byte) {
		now := time.Now()
		if stamp, ok := requester.ReadStamp(payload); ok && stamp.Run == b.id {
			b.deliver(at.Group, stamp, payload, now)
			return
		}
		sink.Reply(payload)
	}
	made, err := b.Grouper.NewConsumer(at, own)
	m := &member{Consumer: made, backlog: b, at: at, sink: own}
	if at.Group == 0 {
		b.lagging = append(b.lagging, m)
	}
	return m, err
}

// mine returns which message of the backlog a payload is; ok is false if it is none.
func (b *Backlog) mine(payload []byte) (n int64, ok bool) {
	stamp, ok := requester.ReadStamp(payload)
	n = number(stamp)
	return n, ok && stamp.Run == b.id && n < b.messages
}

// A stamp of the backlog has the number of the message in the lower half of its sequence, and in
// the upper when it was sent, in units of tick since epoch.
const tick = 100 * time.Microsecond

func number(s requester.Stamp) int64 { return int64(uint32(s.Seq)) }

func sent(s requester.Stamp) time.Duration { return time.Duration(s.Seq>>32) * tick }

// deliver counts a message of the backlog that a group received.
func (b *Backlog) deliver(to int, stamp requester.Stamp, payload []byte, now time.Time) {
	g, n := &b.groups[to], number(stamp)
	switch {
	case n >= b.messages || !b.body.Matches(payload, stamp):
		g.corrupt.Add(1)
		return
	case !g.has.set(n):
		g.duplicate.Add(1)
		return
	}
	if to != 0 {
		g.delivered.Add(1)
		return
	}
	b.record(age, now.Sub(b.epoch)-sent(stamp))
	b.mu.Lock()
	defer b.mu.Unlock()
	all := g.delivered.Add(1) == b.messages
	if b.start.IsZero() {
		return
	}
	b.latest = max(b.latest, now.Sub(b.start))
	if all || b.latest-b.reached >= lookEvery {
		b.draining(b.latest)
	}
}

// Left returns how many messages of the backlog group 0 does not have; 0 of nil.
func (b *Backlog) Left() int64 {
	if b == nil {
		return 0
	}
	return b.messages - b.groups[0].delivered.Load()
}

// A producer also sends messages of the backlog. The lock keeps the engine from a call of Request that
// an interruption has left behind.
type producer struct {
	requester.Requester
	backlog *Backlog
	conn    uint32
	slots   chan struct{} // one for each message that is not acknowledged

	mu  sync.Mutex
	ctx context.Context // of the first call, since all calls have one: that of the engine
}

// Request implements requester.Requester.
func (p *producer) Request(ctx context.Context, payload []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx == nil {
		p.ctx = ctx
	}
	return p.Requester.Request(ctx, payload)
}

// acked notes that a message is stored.
func (p *producer) acked(n int64) {
	if !p.backlog.stored.set(n) {
		return
	}
	p.backlog.acked.Add(1)
	<-p.slots
}

// A member is a consumer that can leave and return.
type member struct {
	requester.Consumer
	backlog *Backlog
	at      requester.Member
	sink    requester.Sink
	away    bool
}

// Teardown implements requester.Consumer.
func (m *member) Teardown(ctx context.Context) error {
	m.backlog.endReturn()
	if m.away {
		return nil
	}
	return m.Consumer.Teardown(ctx)
}
