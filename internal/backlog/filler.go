package backlog

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/content"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// A filler sends other messages through the producers of a cell, before its schedule begins.
type filler struct {
	what     string // the key that asks for it
	cfg      load.Config
	settings plan.Settings
	messages int64 // at most
	until    int64 // bytes that the store is to hold; 0: it gets all the messages
	o        Options
	id       uint32
	body     content.Body

	producers []*producer

	epoch  time.Time // when the store began to be filled
	next   atomic.Int64
	sent   atomic.Int64
	stored bits
	acked  atomic.Int64
	failed chan error         // the first message that was not stored
	wait   func(n int64) bool // whether producers wait before the next message, of so many; nil: never
	groups []group

	fillTook    time.Duration
	unbounded   bool   // [plan.MostFill] is over
	cold        string // why the page cache was not dropped; "" if it was, or should not be
	interrupted bool
}

// newFiller returns the filler of a cell with so many messages at most.
func newFiller(what string, cell plan.Cell, cfg load.Config, messages int64, o Options) *filler {
	if cfg.Payload.Beside { // as the engine does
		cfg.Size += requester.StampSize
	}
	f := &filler{
		what: what, cfg: cfg, settings: cell.Settings.For(cell.Shape), messages: messages, o: o, id: rand.Uint32(), //nolint:gosec // not a secret
		body:   content.New(content.Config{Size: cfg.Size, Seed: cfg.Schedule.Seed, Contents: cfg.Payload}),
		stored: make(bits, messages/64+1), failed: make(chan error, 1), groups: make([]group, max(cfg.Topology.Groups, 1)),
	}
	for i := range f.groups {
		f.groups[i].has = make(bits, messages/64+1)
	}
	return f
}

// newProducer makes a producer that also sends messages of the filler.
func (b *filler) newProducer(f requester.Factory, conn int, sink requester.Sink) (*producer, error) {
	p := &producer{filler: b, conn: uint32(conn), slots: make(chan struct{}, b.slots())}
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
	made, err := f.New(conn, own)
	if err == nil && !made.Traits().Acknowledges {
		err = requester.ErrUnacknowledged
	}
	p.Requester = made
	b.producers = append(b.producers, p)
	return p, err
}

// mine returns which message of the backlog a payload is; ok is false if it is none.
func (b *filler) mine(payload []byte) (n int64, ok bool) {
	stamp, ok := requester.ReadStamp(payload)
	n = number(stamp)
	return n, ok && stamp.Run == b.id && n < b.messages
}

// A stamp of the backlog has the number of the message in the lower half of its sequence, and in
// the upper when it was sent, in units of tick since epoch.
const tick = 100 * time.Microsecond

func number(s requester.Stamp) int64 { return int64(uint32(s.Seq)) }

func sent(s requester.Stamp) time.Duration { return time.Duration(s.Seq>>32) * tick }
