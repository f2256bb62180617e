package impact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	making sync.Mutex // a factory makes one consumer at a time
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

// newRoster returns nil if no members come or go. A group has so many.
func newRoster(faults []plan.Fault, members int) *roster {
	r := &roster{seats: make(map[requester.Member]*seat)}
	for _, f := range faults {
		if !f.OfMember() {
			continue
		}
		m := &move{Fault: results.Fault{Plan: f, Error: "the run ended before"}, done: make(chan struct{})}
		r.moves = append(r.moves, m)
		group, numbers := f.Members(members)
		m.open = len(numbers)
		for _, number := range numbers {
			of := requester.Member{Group: group, Number: number}
			if r.seats[of] == nil {
				r.seats[of] = &seat{}
			}
			s := r.seats[of]
			if n := len(s.moves); n > 0 {
				m.after = append(m.after, s.moves[n-1])
			}
			s.moves = append(s.moves, m)
		}
	}
	if r.moves == nil {
		return nil
	}
	return r
}

// A move is a fault of one member, or of all members of a group at the same time. It begins for all of them when
// the moves before it have ended for all of theirs.
type move struct {
	results.Fault

	after []*move       // the last one before it of each member
	done  chan struct{} // closed when it has happened to all members

	mu   sync.Mutex
	open int // members to which it has not happened yet
	errs []error
}

// happened notes that it has happened to a member.
func (m *move) happened(began, ended time.Duration, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.BeganNS == 0 || int64(began) < m.BeganNS {
		m.BeganNS = int64(began)
	}
	m.open--
	m.errs = append(m.errs, err)
	if m.open > 0 {
		return
	}
	close(m.done)
	m.Error = ""
	if err := errors.Join(m.errs...); err != nil {
		m.Error = err.Error()
		return
	}
	m.BrokenNS = int64(ended) // of the last member
}

// Unwrap lets requester.As find what the factory can do besides.
func (r *roster) Unwrap() requester.Factory { return r.Grouper }

// NewConsumer implements requester.Grouper.
func (r *roster) NewConsumer(m requester.Member, sink requester.Sink) (_ requester.Consumer, err error) {
	s := r.seats[m]
	if s == nil {
		return r.Grouper.NewConsumer(m, sink)
	}
	s.make = func() (requester.Consumer, error) {
		r.making.Lock()
		defer r.making.Unlock()
		return r.Grouper.NewConsumer(m, sink)
	}
	if s.moves[0].Plan.Do != plan.Join {
		s.now, err = s.make()
	}
	return s, err
}

// begin lets members come and go as the plan says. It returns at once.
func (r *roster) begin(start time.Time, warmup time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	for _, s := range r.seats {
		if s.make == nil {
			continue
		}
		r.ended.Go(func() {
			for _, f := range s.moves {
				s.move(ctx, f, start, warmup)
			}
		})
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
// One goroutine at a time uses it: that of its moves does so between begin and end.
type seat struct {
	moves []*move                            // in the order of the plan
	make  func() (requester.Consumer, error) // nil until there is a sink
	now   requester.Consumer                 // nil: no consumer is there
}

// Setup implements requester.Consumer.
func (s *seat) Setup(ctx context.Context) error {
	if s.now == nil {
		return nil
	}
	return s.now.Setup(ctx)
}

// Teardown implements requester.Consumer.
func (s *seat) Teardown(ctx context.Context) error {
	if s.now == nil {
		return nil
	}
	return s.now.Teardown(ctx)
}

// join sets up a new consumer in the seat. One whose Setup fails, or does not return in time, is torn down.
func (s *seat) join(ctx context.Context) error {
	if s.now != nil {
		return errors.New("the member is there already")
	}
	c, err := s.make()
	if err != nil {
		return err
	}
	err = within(ctx, func() error {
		err := cmp.Or(c.Setup(ctx), ctx.Err())
		if err != nil {
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), moveLimit)
			defer cancel()
			err = errors.Join(err, c.Teardown(last))
		}
		return err
	})
	if err == nil {
		s.now = c
	}
	return err
}

// end ends the consumer in the seat: in good order, or as a crash would.
func (s *seat) end(ctx context.Context, killed bool) error {
	c, ok := s.now.(requester.Mortal)
	if !ok {
		return errors.New("the member is not there, or cannot come and go while messages are sent")
	}
	s.now = nil
	return within(ctx, func() (err error) {
		if killed {
			c.Kill()
		} else {
			err = c.Depart(ctx)
		}
		return errors.Join(err, c.Teardown(ctx))
	})
}

// within calls do, and leaves it behind if it has not returned a second after ctx is done.
func within(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(lastWords):
		return fmt.Errorf("the consumer does not return: %w", ctx.Err())
	}
}

// move makes a fault happen when it is due.
func (s *seat) move(ctx context.Context, m *move, start time.Time, warmup time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Until(start.Add(warmup + m.Plan.At))):
	}
	for _, before := range m.after {
		select {
		case <-ctx.Done():
		case <-before.done:
		}
	}
	if ctx.Err() != nil { // also if the move is overdue
		return
	}
	ctx, cancel := context.WithTimeout(ctx, moveLimit)
	defer cancel()
	began := max(time.Since(start), 1)
	var err error
	if m.Plan.Do == plan.Join {
		err = s.join(ctx)
	} else {
		err = s.end(ctx, m.Plan.Do == plan.Kill)
	}
	m.happened(began, max(time.Since(start), began), err)
}
