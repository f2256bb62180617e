package rabbitstream

import (
	"cmp"
	"context"
	"errors"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// errExists means that another run has created the stream.
var errExists = errors.New("the stream exists already")

// during calls do with an environment that it opens and closes. If ctx ends before do has
// returned, do is left behind.
func (f *Factory) during(ctx context.Context, number int, do func(*stream.Environment) error) error {
	env, err := f.dial(ctx, number)
	if err != nil {
		return err
	}
	_, err = within(ctx, func(struct{}) {}, func() (struct{}, error) {
		defer env.Close()
		return struct{}{}, do(env)
	})
	return err
}

// create creates a stream. The client itself would accept one that exists, with
// its messages.
func (c *conn) create(ctx context.Context, s *leftover.Shared) error {
	o, name := &c.factory.options, s.Name
	err := c.factory.during(ctx, c.number, func(env *stream.Environment) error {
		switch there, err := env.StreamExists(name); {
		case err != nil:
			return err
		case there:
			return errExists
		}
		s.Set(true)
		options, most, segment := stream.NewStreamOptions(), int64(o.maxLength), int64(o.segment)
		if share := o.retention.Share(len(c.factory.all.All())); share > 0 {
			most, segment = share, cmp.Or(segment, target.Segment(share))
		}
		if most > 0 {
			options.SetMaxLengthBytes(stream.ByteCapacity{}.B(most))
		}
		if segment > 0 {
			options.SetMaxSegmentSizeBytes(stream.ByteCapacity{}.B(segment))
		}
		err := env.DeclareStream(name, options)
		if errors.Is(err, stream.CodeAccessRefused) || errors.Is(err, stream.PreconditionFailed) {
			s.Set(false)
		}
		return err
	})
	return c.Explain("creating stream "+name, target.Because(ctx, err))
}

// remove deletes a stream, over a new connection: the measured one is gone. It is not an
// error if nothing is there.
func (f *Factory) remove(ctx context.Context, name string) error {
	err := f.during(ctx, 0, func(env *stream.Environment) error { return remove(env, name) })
	return f.explain("removing stream "+name, target.Because(ctx, err))
}

// remove deletes a stream that may be gone.
func remove(env *stream.Environment, name string) error {
	if err := env.DeleteStream(name); !errors.Is(err, stream.StreamDoesNotExist) {
		return err
	}
	return nil
}
