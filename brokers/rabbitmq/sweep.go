package rabbitmq

import (
	"context"
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/target"
	amqp "github.com/rabbitmq/amqp091-go"
)

var _ leftover.Sweeper = (*Factory)(nil)

// Find implements [leftover.Sweeper]. AMQP cannot list queues: the management API
// does. Without one, Find asks for the queues that the run can have, by name, and
// says which it asked for: there may be more.
func (f *Factory) Find(ctx context.Context, q leftover.Query) ([]leftover.Thing, string, error) {
	things, err := f.list(ctx, q)
	if err == nil || ctx.Err() != nil {
		return things, "", err
	}
	unseen := fmt.Sprintf("AMQP cannot list queues, and the management API does not answer (%v): ", err)
	const remedy = "name the API with --management"
	if q.Run == "" {
		return nil, unseen + fmt.Sprintf("%s, or a run with --run; a queue that is left expires when nobody has used it for %v", remedy, expiry), f.reach(ctx)
	}
	things, asked, err := f.ask(ctx, q.Run)
	if err != nil {
		return nil, "", f.explain("looking for queues", err)
	}
	return things, unseen + fmt.Sprintf("asked by name for the queues of %s, and for no exchange; to see all of it, %s", asked, remedy), nil
}

// reach returns an error if the broker does not answer.
func (f *Factory) reach(ctx context.Context) error {
	s, err := f.dial(ctx, 0, "brokerbench clean")
	if err != nil {
		return f.explain("connecting", err)
	}
	s.close()
	return nil
}

// ask asks for the queues of a run, or of one of its cells, by their names. It
// returns in words which it asked for.
func (f *Factory) ask(ctx context.Context, of string) (things []leftover.Thing, asked string, err error) {
	s, err := f.dial(ctx, 0, "brokerbench clean")
	if err != nil {
		return nil, "", err
	}
	defer s.close()
	names := func(run string, number int) []string {
		queue := target.Name(run, number)
		return []string{queue, auditQueue(queue), queue + target.Back}
	}
	err = s.during(ctx, func() (err error) {
		things, asked, err = leftover.Ask(of, "queue", names, s.inspect)
		return err
	})
	return things, asked, err
}

// inspect asks for a queue, and returns why it is in use; "" if it is not.
func (s *session) inspect(name string) (busy string, there bool, err error) {
	channel, err := s.Channel()
	if err != nil {
		return "", false, err
	}
	queue, err := channel.QueueDeclarePassive(name, false, false, false, false, nil)
	var cause *amqp.Error
	switch {
	case err == nil:
		return consumed(queue.Consumers), true, channel.Close()
	case !errors.As(err, &cause):
		return "", false, err
	case cause.Code == amqp.NotFound:
		return "", false, nil // the broker has closed the channel
	case cause.Code == amqp.ResourceLocked:
		return "its connection lives", true, nil
	}
	return "", false, plain(err)
}

func consumed(consumers int) string {
	if consumers == 0 {
		return ""
	}
	return "somebody consumes it"
}

// Remove implements [leftover.Sweeper]. The broker refuses to delete what has been
// taken into use since: the error is [leftover.ErrInUse] then.
func (f *Factory) Remove(ctx context.Context, things []leftover.Thing) []error {
	errs := make([]error, len(things))
	s, err := f.dial(ctx, 0, "brokerbench clean")
	if err == nil {
		defer s.close()
	}
	for i, t := range things {
		if err == nil {
			errs[i] = s.during(ctx, func() error { return s.delete(t) })
		} else {
			errs[i] = err
		}
		if !errors.Is(errs[i], leftover.ErrInUse) {
			errs[i] = f.explain("deleting "+t.Kind+" "+t.Name, plain(errs[i]))
		}
	}
	return errs
}

func (s *session) delete(t leftover.Thing) error {
	channel, err := s.Channel()
	if err != nil {
		return err
	}
	if t.Kind == "exchange" {
		err = channel.ExchangeDelete(t.Name, true, false)
	} else {
		_, err = channel.QueueDelete(t.Name, true, false, false)
	}
	var cause *amqp.Error
	switch {
	case err == nil:
		return channel.Close()
	case errors.As(err, &cause) && (cause.Code == amqp.PreconditionFailed || cause.Code == amqp.ResourceLocked):
		return leftover.ErrInUse
	}
	return err // the broker has closed the channel
}
