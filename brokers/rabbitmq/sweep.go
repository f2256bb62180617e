package rabbitmq

import (
	"context"
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	amqp "github.com/rabbitmq/amqp091-go"
)

// How far Find looks for the queues of a run that it cannot list: connections and
// cells may be missing in between.
const (
	missingConnections = 64
	missingCells       = 8
)

var _ leftover.Sweeper = (*Factory)(nil)

// Find implements [leftover.Sweeper]. AMQP cannot list queues: the management API
// does. Without one, Find asks for the queues that the run can have, by name.
func (f *Factory) Find(ctx context.Context, q leftover.Query) ([]leftover.Thing, string, error) {
	things, err := f.list(ctx, q)
	if err == nil || ctx.Err() != nil {
		return things, "", err
	}
	if q.Run == "" {
		return nil, fmt.Sprintf("AMQP cannot list queues, and the management API does not answer (%v): name a run with --run, or the API with --management; "+
			"a queue that is left expires when nobody has used it for %v", err, expiry), f.reach(ctx)
	}
	things, err = f.ask(ctx, q.Run)
	return things, "", f.explain("looking for queues", err)
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

// ask asks for the queues of a run, or of one of its cells, by their names.
func (f *Factory) ask(ctx context.Context, run string) (things []leftover.Thing, err error) {
	s, err := f.dial(ctx, 0, "brokerbench clean")
	if err != nil {
		return nil, err
	}
	defer s.close()
	err = s.during(ctx, func() error {
		for cell, missing := -1, 0; missing < missingCells; cell++ {
			name := run
			if cell >= 0 {
				name = fmt.Sprintf("%s-%d", run, cell)
			}
			found, err := s.queues(name)
			if err != nil {
				return err
			}
			if missing++; len(found) > 0 {
				missing = 0
			}
			things = append(things, found...)
		}
		return nil
	})
	return things, err
}

// queues asks for the queues of the connections of a run.
func (s *session) queues(run string) (things []leftover.Thing, err error) {
	for number, missing := 0, 0; missing < missingConnections; number++ {
		name := fmt.Sprintf("brokerbench.%s.%d", run, number)
		state, there, err := s.inspect(name)
		if err != nil {
			return nil, err
		}
		if missing++; there {
			missing = 0
			things = append(things, leftover.Thing{Kind: "queue", Name: name, Busy: state})
		}
	}
	return things, nil
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
// taken into use since.
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
		errs[i] = f.explain("deleting "+t.Kind+" "+t.Name, plain(errs[i]))
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
	if err != nil {
		return err // it has closed the channel
	}
	return channel.Close()
}
