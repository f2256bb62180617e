package impact

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// moveLimit is how long a member may take to join or to leave.
const moveLimit = time.Minute

// A roster is a factory whose consumers come and go as the plan says.
type roster struct {
	requester.Grouper

	moves  []*move // in the order of the plan
	seats  map[requester.Member]*seat
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

// A move is a fault of a member.
type move struct {
	results.Fault

	of requester.Member
}

// newRoster returns nil if no members come or go.
func newRoster(faults []plan.Fault) *roster {
	r := &roster{seats: make(map[requester.Member]*seat)}
	for _, f := range faults {
		if !f.OfMember() {
			continue
		}
		m := &move{Fault: results.Fault{Plan: f, Error: "the run ended before"}}
		m.of.Group, m.of.Number = f.Member()
		r.moves = append(r.moves, m)
		if r.seats[m.of] == nil {
			r.seats[m.of] = &seat{empty: f.Do == plan.Join}
		}
	}
	if r.moves == nil {
		return nil
	}
	return r
}

// Unwrap lets requester.As find what the factory can do besides.
func (r *roster) Unwrap() requester.Factory { return r.Grouper }

// NewConsumer implements requester.Grouper.
func (r *roster) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	s := r.seats[m]
	if s == nil {
		return r.Grouper.NewConsumer(m, sink)
	}
	s.make = func() (requester.Consumer, error) { return r.Grouper.NewConsumer(m, sink) }
	return s, nil
}

// begin lets members come and go as the plan says. It returns at once.
func (r *roster) begin(start time.Time, warmup time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	for _, m := range r.moves {
		if s := r.seats[m.of]; s.make != nil {
			r.ended.Go(func() { s.move(ctx, &m.Fault, start, warmup) })
		}
	}
}

// end ends all moves. After it no member comes or goes.
func (r *roster) end() {
	if r.cancel != nil {
		r.cancel()
	}
	r.ended.Wait()
}

// A seat is the place of a member, for the engine, which does not notice that the consumer changes.
type seat struct {
	make func() (requester.Consumer, error) // nil until there is a sink

	mu    sync.Mutex
	empty bool // no consumer is there, or shall be there at first
	now   requester.Consumer
}

// Setup implements requester.Consumer.
func (s *seat) Setup(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.empty {
		return nil
	}
	return s.join(ctx)
}

// Teardown implements requester.Consumer.
func (s *seat) Teardown(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		return nil
	}
	return s.now.Teardown(ctx)
}

// join sets up a new consumer in the seat.
func (s *seat) join(ctx context.Context) (err error) {
	if s.now, err = s.make(); err == nil {
		err = s.now.Setup(ctx)
	}
	return err
}

// end ends the consumer in the seat: in good order, or as a crash would.
func (s *seat) end(ctx context.Context, killed bool) (err error) {
	c, ok := s.now.(requester.Mortal)
	if !ok {
		return errors.New("the member is not there, or cannot come and go while messages are sent")
	}
	s.now = nil
	if killed {
		c.Kill()
	} else {
		err = c.Depart(ctx)
	}
	return errors.Join(err, c.Teardown(ctx))
}

// move makes a fault happen when it is due.
func (s *seat) move(ctx context.Context, f *results.Fault, start time.Time, warmup time.Duration) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(time.Until(start.Add(warmup + f.Plan.At))):
	}
	ctx, cancel := context.WithTimeout(ctx, moveLimit)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	f.BeganNS = max(int64(time.Since(start)), 1)
	var err error
	if f.Plan.Do == plan.Join {
		err = s.join(ctx)
	} else {
		err = s.end(ctx, f.Plan.Do == plan.Kill)
	}
	if err != nil {
		f.Error = err.Error()
		return
	}
	f.BrokenNS, f.Error = max(int64(time.Since(start)), f.BeganNS), ""
}
