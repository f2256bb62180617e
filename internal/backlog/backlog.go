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
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// Options say what to do besides. Each may be nil.
type Options struct {
	Memory  func() Memory   // of the machine on which the target is; of a Store only
	Cold    func() error    // drops the page cache before the members return
	Filling func(Filling)   // is called twice a second while the store is filled
	GiveUp  <-chan struct{} // ends every wait
}

// A Filling is the progress of the store that is filled.
type Filling struct {
	Elapsed  time.Duration
	Stored   int64 // messages that were acknowledged
	Messages int64 // that the backlog is to have; 0: it is filled until it holds Until
	Bytes    int64 // of the messages that were acknowledged
	Until    int64 // bytes that the store is to hold; 0: see Messages
}

// A Backlog is that of one cell. It implements [requester.Grouper] around a factory.
type Backlog struct {
	requester.Grouper
	*filler

	lagging []*member
	times   record.Groups // by series

	mu      sync.Mutex
	start   time.Time     // of the schedule
	latest  time.Duration // offset from start at which group 0 last had a message for the first time
	reached time.Duration // offset until which the drain lasted so far

	back      atomic.Int64  // offset at which the members began to return
	bound     time.Duration // the offset until which the backlog counts as drained in time
	left      int64         // that the group did not have then
	last      time.Duration // latest then
	returning sync.WaitGroup
	stop      context.CancelFunc // ends the return; nil before it was planned
	notBack   error              // why the members did not return
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
	return &Backlog{Grouper: f, filler: newFiller("backlog", cell, cfg, n, o), times: record.NewGroups(allSeries, 1)}
}

// Unwrap returns the factory.
func (b *Backlog) Unwrap() requester.Factory { return b.Grouper }

// New implements requester.Factory.
func (b *Backlog) New(conn int, sink requester.Sink) (requester.Requester, error) {
	return b.newProducer(b.Grouper, conn, sink)
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
