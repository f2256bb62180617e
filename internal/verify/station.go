package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/requester"
)

// A station stands between the engine and a requester and notes what passes. It
// reads the clock of the engine's own process right outside of the engine: the
// engine asks it to send, which is after Sent and before the message can come to
// the system; and it hands a reply to the engine, which reads Done in that call.
type station struct {
	requester.Factory
	asked  *loopback.Journal // came: the engine called Request; left: Request returned
	handed *loopback.Journal // came: a reply is handed to the engine; left: the engine has returned
	failed *loopback.Journal // came: the requester said that the message failed
	limit  int               // how many messages the requester carries at a time on each connection; 0: any number
	holds  []loopback.Freeze // when Request does not return, from start
	start  func() time.Time  // of the schedule
}

// New implements requester.Factory.
func (s *station) New(conn int, sink requester.Sink) (requester.Requester, error) {
	reply := sink.Reply
	sink.Reply = func(payload []byte) {
		s.handed.Came(payload, time.Now())
		reply(payload)
		s.handed.Left(payload, time.Now())
	}
	failed := sink.Failed
	sink.Failed = func(payload []byte, cause error) {
		s.failed.Came(payload, time.Now())
		failed(payload, cause)
	}
	inner, err := s.Factory.New(conn, sink)
	return &passage{Requester: inner, station: s}, err
}

// Unwrap lets requester.As find what the factory can do besides.
func (s *station) Unwrap() requester.Factory { return s.Factory }

// Describe implements requester.Describer.
func (s *station) Describe(ctx context.Context) (requester.Description, error) {
	if inner, ok := requester.As[requester.Describer](s.Factory); ok {
		return inner.Describe(ctx)
	}
	return requester.Description{Product: fmt.Sprintf("%T", s.Factory)}, nil
}

type passage struct {
	requester.Requester
	station *station
}

// Traits implements requester.Requester.
func (p *passage) Traits() requester.Traits {
	t := p.Requester.Traits()
	p.station.limit = t.InFlight
	return t
}

// Request implements requester.Requester.
func (p *passage) Request(ctx context.Context, payload []byte) error {
	now := time.Now()
	p.station.asked.Came(payload, now)
	if until := held(p.station.holds, now.Sub(p.station.start())); until > 0 {
		time.Sleep(time.Until(p.station.start().Add(until)))
	}
	err := p.Requester.Request(ctx, payload)
	p.station.asked.Left(payload, time.Now())
	if err != nil {
		p.station.failed.Came(payload, time.Now())
	}
	return err
}

// held returns the end of the hold that the offset at is in, or 0.
func held(holds []loopback.Freeze, at time.Duration) (until time.Duration) {
	for _, h := range holds {
		if at >= h.At && at < h.At+h.For {
			until = h.At + h.For
		}
	}
	return until
}
