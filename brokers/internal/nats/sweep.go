package nats

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go/jetstream"
)

var _ requester.Sweeper = (*Factory)(nil)

// streamPrefix begins the name of every stream of brokerbench.
const streamPrefix = "brokerbench_"

// Left implements [requester.Sweeper].
func (f *Factory) Left() []string {
	if f.left.Load() {
		return []string{"stream " + streamName(f.Run)}
	}
	return nil
}

// Find implements [requester.Sweeper]. Only streams outlive a connection. One was used when
// its newest message was written or it was made, and it is in use while it has consumers.
func (f *Factory) Find(ctx context.Context, q requester.LeftoverQuery) (things []requester.Leftover, unseen string, err error) {
	err = f.withJetStream(ctx, func(js jetstream.JetStream) error {
		streams := js.ListStreams(ctx)
		for info := range streams.Info() {
			name, ours := thingName(info.Config.Name)
			if !ours || !leftover.Wants(q, name) {
				continue
			}
			thing := requester.Leftover{Kind: "stream", Name: name, Used: later(info.State.LastTime, info.Created)}
			if info.State.Consumers > 0 {
				thing.Busy = "it has consumers"
			}
			things = append(things, thing)
		}
		return streams.Err()
	})
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return nil, "", nil // no stream can be there
	}
	return things, "", f.Explain("looking for streams", err)
}

// Remove implements [requester.Sweeper].
func (f *Factory) Remove(ctx context.Context, things []requester.Leftover) []error {
	errs := make([]error, len(things))
	err := f.withJetStream(ctx, func(js jetstream.JetStream) error {
		for i, thing := range things {
			err := removeStream(ctx, js, streamName(leftover.Run(thing.Name)))
			errs[i] = f.Explain("deleting stream "+thing.Name, target.Because(ctx, err))
		}
		return nil
	})
	for i := range errs {
		if errs[i] == nil {
			errs[i] = f.Explain("deleting streams", err)
		}
	}
	return errs
}

// thingName returns the name of a stream in the form of all names of brokerbench:
// brokerbench_<run>_0 is brokerbench.<run>.0.
func thingName(stream string) (name string, ours bool) {
	rest, ours := strings.CutPrefix(stream, streamPrefix)
	run, ours2 := strings.CutSuffix(rest, "_0")
	return target.Name(run, 0), ours && ours2 && run != ""
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
