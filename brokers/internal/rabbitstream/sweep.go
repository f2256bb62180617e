package rabbitstream

import (
	"context"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// created returns the names of the streams that were created and that may still exist.
func (f *Factory) created() (names []string) {
	for _, s := range f.all.All() {
		if s.There() {
			names = append(names, s.Name)
		}
	}
	return names
}

// Left implements [requester.Sweeper].
func (f *Factory) Left() []string { return transport.Left(&f.all) }

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
	open := func(do func(*stream.Environment) error) error {
		return f.explain("deleting streams", target.Because(ctx, f.during(ctx, 0, do)))
	}
	return leftover.Remove(leftovers, open, func(env *stream.Environment, l requester.Leftover) error {
		return f.explain("deleting stream "+l.Name, remove(env, l.Name))
	})
}
