package rabbitstream

import (
	"cmp"
	"context"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

var _ leftover.Sweeper = (*Factory)(nil)

// Find implements [leftover.Sweeper]. The stream protocol cannot list streams: the management
// API does. Without one, Find asks for the streams that the run can have, by name, and
// says which it asked for: there may be more.
func (f *Factory) Find(ctx context.Context, q leftover.Query) ([]leftover.Thing, string, error) {
	things, err := f.list(ctx, q)
	if err == nil || ctx.Err() != nil {
		return things, "", err
	}
	unseen := fmt.Sprintf("the stream protocol cannot list streams, and the management API does not answer (%v): ", err)
	const remedy = "name the API with --management"
	if q.Run == "" {
		err := f.during(ctx, 0, func(*stream.Environment) error { return nil })
		return nil, unseen + remedy + ", or a run with --run", f.explain("connecting", target.Because(ctx, err))
	}
	things, asked, err := f.ask(ctx, q.Run)
	if err != nil {
		return nil, "", f.explain("looking for streams", target.Because(ctx, err))
	}
	return things, unseen + fmt.Sprintf("asked by name for the streams of %s; to see all of it, %s", asked, remedy), nil
}

// list asks the management API.
func (f *Factory) list(ctx context.Context, q leftover.Query) (things []leftover.Thing, err error) {
	api, err := f.management(q.Management)
	if err != nil {
		return nil, err
	}
	queues, err := api.Queues(ctx)
	for _, queue := range queues {
		if queue.Type == "stream" && q.Wants(queue.Name) {
			thing := leftover.Thing{Kind: "stream", Name: queue.Name}
			if queue.IdleSince != "" { // of streams 3.10 and 4.0 do not tell it
				thing.Used = queue.Used()
			}
			if queue.Consumers > 0 {
				thing.Busy = "somebody consumes it"
			}
			things = append(things, thing)
		}
	}
	return things, err
}

// management returns the management API at base; "" is where the options say that it is, or
// where it usually is.
func (f *Factory) management(base string) (management.API, error) {
	user, password := f.user()
	config, err := f.options.tls.Config()
	return management.API{
		Base: cmp.Or(base, f.options.management), Addrs: f.hosts(), Encrypted: f.encrypted(),
		User: user, Password: password, Vhost: f.vhost(), TLS: config,
	}, err
}

// ask asks for the streams of a run, or of one of its cells, by their names. Whether one is
// in use, the protocol does not tell.
func (f *Factory) ask(ctx context.Context, of string) (things []leftover.Thing, asked string, err error) {
	names := func(run string, number int) []string { return []string{target.Name(run, number)} }
	err = f.during(ctx, 0, func(env *stream.Environment) (err error) {
		things, asked, err = leftover.Ask(of, "stream", names, func(name string) (string, bool, error) {
			there, err := env.StreamExists(name)
			return "", there, err
		})
		return err
	})
	return things, asked, err
}

// Remove implements [leftover.Sweeper].
func (f *Factory) Remove(ctx context.Context, things []leftover.Thing) []error {
	errs := make([]error, len(things))
	err := f.during(ctx, 0, func(env *stream.Environment) error {
		for i, t := range things {
			errs[i] = f.explain("deleting stream "+t.Name, remove(env, t.Name))
		}
		return nil
	})
	if err != nil {
		for i := range errs { // what was removed is not there the next time
			errs[i] = f.explain("deleting streams", target.Because(ctx, err))
		}
	}
	return errs
}
