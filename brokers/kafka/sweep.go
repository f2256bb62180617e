package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// watch is how long Find watches topics for new messages: the clocks of those who
// wrote may be wrong.
const watch = 2 * time.Second

// The kinds of what a run may leave, and Kafka's own name of share groups.
const (
	topicKind = "topic"
	shareKind = "share group"
	shareType = "share"
)

var _ leftover.Sweeper = (*Factory)(nil)

// Find implements [leftover.Sweeper]. A topic was used when its newest message was
// written, and it is in use if messages arrive. (Kafka does not tell who reads it without
// a group.) A share group is in use while it has a member.
func (f *Factory) Find(ctx context.Context, q leftover.Query) (things []leftover.Thing, unseen string, err error) {
	err = f.admin(ctx, func(ctx context.Context, admin *kadm.Client) error {
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
		if err == nil {
			var groups []leftover.Thing
			groups, unseen = shareGroups(ctx, admin, q)
			things = append(things, groups...)
		}
		return err
	})
	return things, unseen, f.explain("looking for topics", err)
}

// shareGroups returns the share groups that are wanted, and what hindered the search. Kafka
// does not tell when one was used: as its topic was, which is there as well, or not before
// the run, whose name says when it began.
func shareGroups(ctx context.Context, admin *kadm.Client, q leftover.Query) (things []leftover.Thing, unseen string) {
	listed, err := admin.ListGroupsByType(ctx, []string{shareType})
	if err != nil {
		return nil, fmt.Sprintf("share groups cannot be listed: %v", err)
	}
	for _, group := range listed.Sorted() {
		if !q.Wants(group.Group) {
			continue
		}
		thing := leftover.Thing{Kind: shareKind, Name: group.Group, Used: time.Unix(1, 0)}
		if group.State != "Empty" && group.State != "Dead" {
			thing.Busy = "it has members (" + group.State + ")"
		}
		things = append(things, thing)
	}
	return things, ""
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
		things[i] = leftover.Thing{Kind: topicKind, Name: name, Used: lastWritten(newest[name])}
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
	errs := make([]error, len(things))
	err := f.asking(ctx, adminLimit, func(ctx context.Context, client *kgo.Client) error {
		for i, t := range things {
			if t.Kind == shareKind {
				errs[i] = f.deleteGroup(ctx, client, t.Name)
			}
		}
		return f.deleteTopics(ctx, administrator(client), things, errs)
	})
	for i := range errs {
		if errs[i] == nil {
			errs[i] = f.explain("deleting topics", err)
		}
	}
	return errs
}

// deleteTopics deletes the topics among things in one request, and sets the error of each.
func (f *Factory) deleteTopics(ctx context.Context, admin *kadm.Client, things []leftover.Thing, errs []error) error {
	var names []string
	for _, t := range things {
		if t.Kind == topicKind {
			names = append(names, t.Name)
		}
	}
	answers, err := admin.DeleteTopics(ctx, names...)
	for i, t := range things {
		if answer, ok := answers[t.Name]; ok && t.Kind == topicKind && !errors.Is(answer.Err, kerr.UnknownTopicOrPartition) {
			errs[i] = f.explain("deleting topic "+t.Name, answer.Err)
		}
	}
	return target.Because(ctx, err)
}
