package nats

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// streamLimit bounds what is done with a stream besides messages: to create it with
// replicas on a cluster takes a leader. A request that reaches a cluster while its leader
// changes is never answered, so that after askAgain it is sent again.
const (
	streamLimit = 10 * time.Second
	askAgain    = 2 * time.Second
)

// ask does what asks JetStream for something, and repeats that while there is time and no
// answer comes. The request may have been carried out already.
func ask(ctx context.Context, do func(context.Context) error) error {
	if _, bounded := ctx.Deadline(); !bounded {
		limited, cancel := context.WithTimeout(ctx, streamLimit)
		defer cancel()
		ctx = limited
	}
	for wait := askAgain; ; wait *= 2 {
		once, cancel := context.WithTimeout(ctx, wait)
		err := do(once)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err
		}
	}
}

// A stream is the JetStream stream of a factory, which all of its connections share:
// the first makes it, the last removes it.
type stream struct {
	factory *Factory

	mu    sync.Mutex
	users int
	made  chan struct{} // closed when err says whether it was made; nil while it is unused
	err   error
	ours  bool // it was made here, or may have been
}

// streamName returns the name of a run's stream. NATS allows no dots there: it is
// [target.Name] with underscores.
func streamName(run string) string { return streamPrefix + run + "_0" }

// config returns what the stream is asked to be.
func (s *stream) config() jetstream.StreamConfig {
	o := &s.factory.options
	storage := jetstream.FileStorage
	if o.stream == streamMemory {
		storage = jetstream.MemoryStorage
	}
	return jetstream.StreamConfig{
		Name: streamName(s.factory.Run), Description: "made by brokerbench, which removes it",
		Subjects: []string{"brokerbench." + s.factory.Run + ".*"}, Storage: storage, Replicas: o.replicas,
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
	}
}

// use makes the stream, or waits until another connection has made it.
func (s *stream) use(ctx context.Context, js jetstream.JetStream) error {
	s.mu.Lock()
	s.users++
	first := s.made == nil
	if first {
		s.made = make(chan struct{})
	}
	made := s.made
	s.mu.Unlock()
	if first {
		ctx, cancel := context.WithTimeout(ctx, streamLimit)
		s.err = s.create(ctx, js)
		cancel()
		s.ours = !errors.Is(s.err, jetstream.ErrStreamNameAlreadyInUse)
		close(made)
	}
	select {
	case <-made:
		return s.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// create makes the stream. A server that is still removing one of that name from its disk
// says that it cannot create the store: it is asked again for a moment.
func (s *stream) create(ctx context.Context, js jetstream.JetStream) error {
	const again, atMost = 50 * time.Millisecond, 2 * time.Second
	var refused *jetstream.APIError
	for begun := time.Now(); ; {
		err := ask(ctx, func(ctx context.Context) error {
			_, err := js.CreateStream(ctx, s.config())
			return err
		})
		if !errors.As(err, &refused) || refused.ErrorCode != storeFailed || time.Since(begun) > atMost || ctx.Err() != nil {
			return err
		}
		time.Sleep(again)
	}
}

// storeFailed is the server's code for a stream whose store it could not create.
const storeFailed jetstream.ErrorCode = 10049

// leave removes the stream, over a separate connection, if the caller is the last that
// used it.
func (s *stream) leave(ctx context.Context) error {
	s.mu.Lock()
	s.users--
	last := s.users == 0
	if last {
		s.made = nil
	}
	s.mu.Unlock()
	if !last || !s.ours {
		return nil
	}
	return s.factory.withJetStream(ctx, func(js jetstream.JetStream) error {
		return removeStream(ctx, js, streamName(s.factory.Run))
	})
}

// removeStream removes a stream. That there is none is no error.
func removeStream(ctx context.Context, js jetstream.JetStream, name string) error {
	err := ask(ctx, func(ctx context.Context) error { return js.DeleteStream(ctx, name) })
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return err
}

// withJetStream calls do with the JetStream of a connection that it opens and closes.
func (f *Factory) withJetStream(ctx context.Context, do func(jetstream.JetStream) error) error {
	w := newWire(f)
	defer w.close()
	defer context.AfterFunc(ctx, w.close)()
	client, err := f.connect(ctx, w, nats.NoReconnect(), quiet())
	if err != nil {
		return err
	}
	defer client.Close()
	js, err := jetStream(ctx, client)
	if err != nil {
		return err
	}
	return do(js)
}

// quiet is for calls that return their error: without a handler, nats.go prints it.
func quiet() nats.Option {
	return nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})
}

// jetStream returns the JetStream of a client, and an error if the server has none.
func jetStream(ctx context.Context, client *nats.Conn, options ...jetstream.JetStreamOpt) (jetstream.JetStream, error) {
	js, err := jetstream.New(client, append([]jetstream.JetStreamOpt{jetstream.WithDefaultTimeout(streamLimit)}, options...)...)
	if err != nil {
		return nil, err
	}
	return js, ask(ctx, func(ctx context.Context) error {
		_, err := js.AccountInfo(ctx)
		return err
	})
}
