package rabbitstream

import (
	"context"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// created returns the names of the streams that connections created and that may still exist.
func (f *Factory) created() (names []string) {
	for _, c := range f.all.All() {
		if c.declared.Load() {
			names = append(names, f.stream(c.number))
		}
	}
	return names
}

// Left implements [requester.Sweeper].
func (f *Factory) Left() (left []string) {
	for _, name := range f.created() {
		left = append(left, "stream "+name)
	}
	return left
}

// Find implements [requester.Sweeper]. The protocol does not report whether a stream is in use.
func (f *Factory) Find(ctx context.Context, q requester.LeftoverQuery) ([]requester.Leftover, string, error) {
	found, unseen, err := f.broker.Find(ctx, q, management.Sweep{
		Protocol: "the stream protocol", Kind: "stream",
		Names: func(run string, number int) []string { return []string{target.Name(run, number)} },
		Connect: func(ctx context.Context, do func(leftover.Inspect) error) error {
			return f.during(ctx, 0, func(env *stream.Environment) error {
				return do(func(name string) (string, bool, error) {
					there, err := env.StreamExists(name)
					return "", there, err
				})
			})
		},
	})
	return found, unseen, f.explain("looking for streams", target.Because(ctx, err))
}

// Remove implements [requester.Sweeper].
func (f *Factory) Remove(ctx context.Context, leftovers []requester.Leftover) []error {
	errs := make([]error, len(leftovers))
	err := f.during(ctx, 0, func(env *stream.Environment) error {
		for i, l := range leftovers {
			errs[i] = f.explain("deleting stream "+l.Name, remove(env, l.Name))
		}
		return nil
	})
	if err != nil {
		for i := range errs { // streams that were removed are not found the next time
			errs[i] = f.explain("deleting streams", target.Because(ctx, err))
		}
	}
	return errs
}
