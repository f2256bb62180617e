package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// watch is how long Find watches topics for new messages: the clocks of those who
// wrote may be wrong.
const watch = 2 * time.Second

var _ leftover.Sweeper = (*Factory)(nil)

// Find implements [leftover.Sweeper]. A topic was used when its newest message was
// written, and it is in use if messages arrive. (Kafka does not tell who reads it,
// and there is no group.)
func (f *Factory) Find(ctx context.Context, q leftover.Query) (things []leftover.Thing, _ string, err error) {
	err = f.admin(ctx, adminLimit, func(ctx context.Context, admin *kadm.Client) error {
		all, err := admin.ListTopics(ctx)
		if err != nil {
			return err
		}
		var names []string
		for _, name := range all.Names() {
			if q.Wants(name) {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			things, err = watched(ctx, admin, names)
		}
		return err
	})
	return things, "", f.explain("looking for topics", err)
}

// watched looks at topics twice.
func watched(ctx context.Context, admin *kadm.Client, names []string) ([]leftover.Thing, error) {
	before, err := admin.ListEndOffsets(ctx, names...)
	if err != nil {
		return nil, err
	}
	newest, err := admin.ListMaxTimestampOffsets(ctx, names...)
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(watch):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	after, err := admin.ListEndOffsets(ctx, names...)
	if err != nil {
		return nil, err
	}
	things := make([]leftover.Thing, len(names))
	for i, name := range names {
		things[i] = leftover.Thing{Kind: "topic", Name: name, Used: lastWritten(newest[name])}
		for partition, o := range after[name] {
			if was, ok := before.Lookup(name, partition); !ok || was.Offset != o.Offset {
				things[i].Busy = "messages arrive"
			}
		}
	}
	return things, nil
}

// lastWritten returns the time of the newest message; zero if there is none, and now
// if the broker does not tell (before Kafka 3.0).
func lastWritten(newest map[int32]kadm.ListedOffset) (at time.Time) {
	for _, o := range newest {
		switch written := time.UnixMilli(o.Timestamp); {
		case o.Err != nil:
			return time.Now()
		case o.Timestamp > 0 && written.After(at):
			at = written
		}
	}
	return at
}

// Remove implements [leftover.Sweeper].
func (f *Factory) Remove(ctx context.Context, things []leftover.Thing) []error {
	errs, names := make([]error, len(things)), make([]string, len(things))
	for i, t := range things {
		names[i] = t.Name
	}
	err := f.admin(ctx, adminLimit, func(ctx context.Context, admin *kadm.Client) error {
		answers, err := admin.DeleteTopics(ctx, names...)
		for i, name := range names {
			if answer, ok := answers[name]; ok && !errors.Is(answer.Err, kerr.UnknownTopicOrPartition) {
				errs[i] = f.explain("deleting topic "+name, answer.Err)
			}
		}
		return target.Because(ctx, err)
	})
	for i := range errs {
		if errs[i] == nil {
			errs[i] = f.explain("deleting topics", err)
		}
	}
	return errs
}
