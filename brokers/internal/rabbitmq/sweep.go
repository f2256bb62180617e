package rabbitmq

import (
	"context"
	"errors"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

// Find implements [requester.Sweeper].
func (q *Queues) Find(ctx context.Context, query requester.LeftoverQuery) ([]requester.Leftover, string, error) {
	found, unseen, err := q.broker.Find(ctx, query, management.Sweep{
		Protocol: "AMQP", Kind: "queue", Expires: "; a leftover queue expires after " + expiry.String() + " without use",
		Names: func(run string, number int) []string {
			queue := target.Name(run, number)
			return []string{queue, AuditQueue(queue), queue + target.Back}
		},
		Connect: func(ctx context.Context, do func(leftover.Inspect) error) error {
			return q.do(ctx, "brokerbench clean", func(s *session) error { return do(s.used) })
		},
	})
	return found, unseen, q.explain("looking for queues", err)
}

// used implements [leftover.Inspect].
func (s *session) used(name string) (busy string, there bool, err error) {
	state, there, err := s.inspect(name)
	if failed(err, amqp.ResourceLocked) {
		return "its connection is open", true, nil
	}
	return management.Consumed(state.Consumers), there, plain(err)
}

// Remove implements [requester.Sweeper].
func (q *Queues) Remove(ctx context.Context, leftovers []requester.Leftover) []error {
	open := func(do func(*session) error) error { return q.do(ctx, "brokerbench clean", do) }
	errs := leftover.Remove(leftovers, open, (*session).delete)
	for i, l := range leftovers {
		if !errors.Is(errs[i], requester.ErrInUse) {
			errs[i] = q.explain("deleting "+l.Kind+" "+l.Name, target.Because(ctx, plain(errs[i])))
		}
	}
	return errs
}

// delete deletes a queue or an exchange. The broker refuses that for one that is in use again.
func (s *session) delete(l requester.Leftover) error {
	channel, err := s.Channel()
	if err != nil {
		return err
	}
	if l.Kind == "exchange" {
		err = channel.ExchangeDelete(l.Name, true, false)
	} else {
		_, err = channel.QueueDelete(l.Name, true, false, false)
	}
	switch {
	case err == nil:
		return channel.Close()
	case failed(err, amqp.PreconditionFailed) || failed(err, amqp.ResourceLocked):
		return requester.ErrInUse
	}
	return err // the broker has closed the channel
}
