package rabbitstream

import (
	"context"
	"errors"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// errExists is that somebody else has made the stream.
var errExists = errors.New("the stream exists already")

// during calls do with an environment that it opens and closes. If ctx ends before do has
// returned, do is left to itself.
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

// create makes the connection's stream. The client itself would take one that exists, with
// whatever is in it.
func (c *conn) create(ctx context.Context, name string) error {
	o := &c.factory.options
	return c.factory.during(ctx, c.number, func(env *stream.Environment) error {
		switch there, err := env.StreamExists(name); {
		case err != nil:
			return err
		case there:
			return errExists
		}
		c.declared.Store(true)
		c.factory.made.Add(name)
		options := stream.NewStreamOptions()
		if o.maxLength > 0 {
			options.SetMaxLengthBytes(stream.ByteCapacity{}.B(int64(o.maxLength)))
		}
		if o.segment > 0 {
			options.SetMaxSegmentSizeBytes(stream.ByteCapacity{}.B(int64(o.segment)))
		}
		err := env.DeclareStream(name, options)
		if refused(err) {
			c.forget(name)
		}
		return err
	})
}

// refused tells whether the broker has said that it did not make a stream.
func refused(err error) bool {
	return errors.Is(err, stream.CodeAccessRefused) || errors.Is(err, stream.PreconditionFailed)
}

// forget notes that the stream is not there.
func (c *conn) forget(name string) {
	c.declared.Store(false)
	c.factory.made.Remove(name)
}

// remove deletes the stream, over a new connection: the measured one is gone. It is not an
// error if nothing is there.
func (c *conn) remove(ctx context.Context) error {
	name := c.factory.stream(c.number)
	err := c.factory.during(ctx, c.number, func(env *stream.Environment) error { return remove(env, name) })
	if err == nil {
		c.forget(name)
	}
	return c.factory.explain("removing stream "+name, target.Because(ctx, err))
}

// remove deletes a stream that may be gone.
func remove(env *stream.Environment, name string) error {
	if err := env.DeleteStream(name); !errors.Is(err, stream.StreamDoesNotExist) {
		return err
	}
	return nil
}

// Left implements [requester.Leaver].
func (c *conn) Left() []string {
	if c.declared.Load() {
		return []string{"stream " + c.factory.stream(c.number)}
	}
	return nil
}
