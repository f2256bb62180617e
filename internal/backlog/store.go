package backlog

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A Store fills the store of a target before the schedule of a cell begins, until it holds some bytes or
// discards its first messages. Consumers take these messages, too, and the engine does not see them. It is a
// [requester.Grouper] around a factory.
type Store struct {
	*filler

	factory requester.Factory
	meter   requester.StoreMeter
	limits  requester.Store
	allowed atomic.Int64 // messages that may be sent, as far as it is known that they fit
	behind  int64        // bytes that consumers may be behind
	end     results.FillEnd
	result  results.StoreFill
}

// A Memory is what a machine has.
type Memory struct {
	Bytes     int64
	PageCache *int64 // that is in use; nil: unknown
}

// How a store is filled. It is asked every stateEvery, within stateLimit. Consumers may be mostBehind bytes behind
// the producers, what is on its way included, so that a store that discards its oldest messages keeps those that they do not have; they are given up
// when nothing comes for the timeout of the cell. A store that compresses messages has mostRatio times those that make up its bytes, at most.
const (
	stateEvery = 250 * time.Millisecond
	stateLimit = 15 * time.Second
	mostBehind = 64 << 20
	mostRatio  = 8
)

// NewStore returns the store of a cell, which is measured with cfg. The meter is that of the factory.
func NewStore(f requester.Factory, meter requester.StoreMeter, cell plan.Cell, cfg load.Config, o Options) *Store {
	until := cell.Shape.UntilStore
	s := &Store{
		factory: f, meter: meter, limits: meter.Store(),
		filler: newFiller("until-store", cell, cfg, min(mostRatio*until/int64(cfg.Size)+1, plan.MostBacklog), o),
	}
	s.until, s.wait, s.behind = until, s.full, mostBehind
	if limit := s.limits.Retention; limit > 0 {
		s.behind = min(s.behind, limit/4)
	}
	s.allowed.Store(until/int64(s.cfg.Size)/2 + 1)
	s.result = results.StoreFill{UntilBytes: until, LimitBytes: s.limits.Retention, InMemory: s.limits.InMemory}
	return s
}

// Unwrap returns the factory.
func (s *Store) Unwrap() requester.Factory { return s.factory }

// New implements requester.Factory.
func (s *Store) New(conn int, sink requester.Sink) (requester.Requester, error) {
	return s.newProducer(s.factory, conn, s.apart(0, sink))
}

// TakeTopology implements [requester.Grouper].
func (s *Store) TakeTopology(t requester.Topology) error {
	_, err := requester.Arrange(s.factory, t)
	return err
}

// NewConsumer implements [requester.Grouper].
func (s *Store) NewConsumer(at requester.Member, sink requester.Sink) (requester.Consumer, error) {
	g, ok := requester.As[requester.Grouper](s.factory)
	if !ok {
		return nil, errors.ErrUnsupported // Arrange has said so
	}
	return g.NewConsumer(at, s.apart(at.Group, sink))
}

// apart returns a sink that keeps the messages of the store.
func (s *Store) apart(group int, sink requester.Sink) requester.Sink {
	own, to := sink, &s.groups[group]
	own.Reply = func(payload []byte) {
		n, ok := s.mine(payload)
		if !ok {
			sink.Reply(payload)
			return
		}
		if to.has.set(n) {
			to.delivered.Add(1)
		}
	}
	return own
}

// Conn returns the connection that sent a message to fill the store; ok is false of other messages.
func (s *Store) Conn(payload []byte) (conn int, ok bool) {
	if s == nil {
		return 0, false
	}
	stamp, _ := requester.ReadStamp(payload)
	_, ok = s.mine(payload)
	return int(stamp.Conn), ok
}

// full reports whether producers have to wait: for the store to be looked at, or for consumers.
func (s *Store) full(next int64) bool {
	return next >= s.allowed.Load() || (next-s.delivered())*int64(s.cfg.Size) > s.behind
}

// delivered returns how many messages the slowest group has.
func (s *Store) delivered() int64 {
	least := s.groups[0].delivered.Load()
	for i := range s.groups {
		least = min(least, s.groups[i].delivered.Load())
	}
	return least
}

// Ready returns the function for load.Hooks that fills the store, and then calls next, which may be nil. An error says
// that the store does not take the messages. When ctx ends, the store holds the messages so far.
func (s *Store) Ready(next func(context.Context) (time.Time, error)) func(context.Context) (time.Time, error) {
	return ready(s.prepare, next)
}

func (s *Store) prepare(ctx context.Context) error {
	looking, stop := context.WithCancel(ctx)
	looked := make(chan error, 1)
	go func() { looked <- s.look(looking) }()
	err := s.fill(ctx, func() bool { return len(looked) > 0 })
	stop()
	lookErr := <-looked
	if s.interrupted = ctx.Err() != nil; s.interrupted {
		s.end = results.FillInterrupted
		return nil
	}
	switch {
	case err != nil:
		return err
	case s.end != "":
	case lookErr != nil && !errors.Is(lookErr, context.Canceled):
		return lookErr
	default:
		return fmt.Errorf("until-store: the target holds less than %s of the %s messages that it acknowledged: name a smaller size", words.Size(int(s.until)), words.Count(s.acked.Load()))
	}
	s.catchUp(ctx)
	s.chill()
	s.result.Before = s.state(ctx)
	if s.o.Memory != nil {
		m := s.o.Memory()
		s.result.MemoryBytes, s.result.PageCacheBytes = m.Bytes, m.PageCache
	}
	return nil
}

// look asks for the state of the store until it is full, and says why it is.
func (s *Store) look(ctx context.Context) error {
	for {
		acked := s.acked.Load()
		asked, cancel := context.WithTimeout(ctx, stateLimit)
		state, err := s.meter.StoreState(asked)
		cancel()
		if err != nil {
			return err
		}
		bytes := state.Bytes
		if bytes < 0 { // count ours
			bytes = acked * int64(s.cfg.Size)
		}
		switch {
		case s.limits.Retention > 0 && state.Discarded > 0:
			s.end = results.FillDiscards
			return nil
		case bytes >= s.until:
			s.end = results.FillBytes
			return nil
		case acked > 0:
			each := max(float64(bytes)/float64(acked), 1)
			s.allowed.Store(acked + int64(float64(s.until-bytes)/each) + 1)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(stateEvery):
		}
	}
}

// catchUp waits until all consumers have what was stored, or nothing comes.
func (s *Store) catchUp(ctx context.Context) {
	moved, last := time.Now(), int64(-1)
	for ctx.Err() == nil && time.Since(moved) < s.settings.Timeout {
		n := s.acked.Load() + s.delivered()
		if n == 2*s.sent.Load() {
			break
		}
		if n != last {
			moved, last = time.Now(), n
		}
		time.Sleep(lookEvery)
	}
	for i := range s.groups {
		s.result.Undelivered += max(s.acked.Load()-s.groups[i].delivered.Load(), 0)
	}
}

// state asks for the state of the store; nil if it is not known.
func (s *Store) state(ctx context.Context) *results.StoreState {
	ctx, cancel := context.WithTimeout(ctx, stateLimit)
	defer cancel()
	now, err := s.meter.StoreState(ctx)
	if err != nil {
		s.result.Error = err.Error()
		return nil
	}
	known := func(n int64) *int64 {
		if n < 0 {
			return nil
		}
		return &n
	}
	return &results.StoreState{Messages: known(now.Messages), Bytes: known(now.Bytes), Discarded: known(now.Discarded)}
}

// Settle asks for the state of the store when the schedule is over and nothing is torn down.
func (s *Store) Settle(ctx context.Context) {
	if s.interrupted {
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go func() {
		select {
		case <-s.o.GiveUp:
			cancel()
		case <-ctx.Done():
		}
	}()
	s.result.After = s.state(ctx)
}

// Result returns how the store was filled. It is called after Settle.
func (s *Store) Result() *results.StoreFill {
	r := s.result
	r.End, r.Messages, r.FillNS = s.end, s.acked.Load(), int64(s.fillTook)
	r.Bytes = r.Messages * int64(s.cfg.Size)
	r.Cold, r.NotCold = s.o.Cold != nil && s.cold == "", s.cold
	return &r
}
