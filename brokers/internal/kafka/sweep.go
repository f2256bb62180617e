package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// The kinds of leftovers.
const (
	topicKind    = "topic"
	shareKind    = "share group"
	consumerKind = "consumer group"
)

var _ requester.Sweeper = (*Factory)(nil)

// Left implements [requester.Sweeper].
func (f *Factory) Left() []string {
	names := transport.Left(&f.all)
	if f.shared.grouped.Load() {
		for group := range f.shared.topology.Groups {
			names = append(names, f.groupKind()+" "+target.Name(f.Run, group))
		}
	}
	return names
}

// Find implements [requester.Sweeper]. A topic was used when its newest message was written;
// Kafka does not reveal consumers without a group. A group is in use while it has a member.
func (f *Factory) Find(ctx context.Context, q requester.LeftoverQuery) (things []requester.Leftover, unseen string, err error) {
	err = f.admin(ctx, func(ctx context.Context, admin *kadm.Client) error {
		all, err := admin.ListTopics(ctx)
		if err != nil {
			return err
		}
		var names []string
		for _, name := range all.Names() {
			if leftover.Wants(q, name) {
				names = append(names, name)
			}
		}
		if len(names) > 0 { // kadm takes none for all
			things, err = leftover.Watch(ctx, topicKind, func() (map[string]leftover.Seen, error) { return cluster.Look(ctx, admin, names) })
		}
		if err == nil {
			var groups []requester.Leftover
			groups, unseen = findGroups(ctx, admin, q)
			things = append(things, groups...)
		}
		return err
	})
	return things, unseen, f.explain("looking for topics", err)
}

// findGroups returns the groups that match the query, and a note on the groups that it
// could not inspect. Kafka does not reveal when a group was last used: it matches like its topic,
// which exists too, or by the start of the run, which its name contains.
func findGroups(ctx context.Context, admin *kadm.Client, q requester.LeftoverQuery) (things []requester.Leftover, unseen string) {
	listed, err := admin.ListGroups(ctx)
	if err != nil {
		return nil, fmt.Sprintf("groups cannot be listed: %v", err)
	}
	for _, group := range listed.Sorted() {
		if !leftover.Wants(q, group.Group) {
			continue
		}
		thing := requester.Leftover{Kind: consumerKind, Name: group.Group, Used: time.Unix(1, 0)}
		if group.ProtocolType == cluster.Share {
			thing.Kind = shareKind
		}
		if group.State != "Empty" && group.State != "Dead" {
			thing.Busy = "it has members (" + group.State + ")"
		}
		things = append(things, thing)
	}
	return things, ""
}

// Remove implements [requester.Sweeper].
func (f *Factory) Remove(ctx context.Context, things []requester.Leftover) []error {
	errs := make([]error, len(things))
	err := f.asking(ctx, cluster.Limit, func(ctx context.Context, client *kgo.Client) error {
		for i, t := range things {
			if t.Kind != topicKind {
				errs[i] = f.deleteGroup(ctx, client, t.Kind, t.Name)
			}
		}
		return f.deleteTopics(ctx, cluster.Admin(client), things, errs)
	})
	for i := range errs {
		if errs[i] == nil {
			errs[i] = f.explain("deleting topics", err)
		}
	}
	return errs
}

// deleteTopics deletes the topics among things in one request, waits until they are gone, and sets the error of
// each.
func (f *Factory) deleteTopics(ctx context.Context, admin *kadm.Client, things []requester.Leftover, errs []error) error {
	var names []string
	for _, t := range things {
		if t.Kind == topicKind {
			names = append(names, t.Name)
		}
	}
	answers, err := admin.DeleteTopics(ctx, names...)
	for i, t := range things {
		if answer, ok := answers[t.Name]; ok && t.Kind == topicKind && answer.Err != nil {
			names = slices.DeleteFunc(names, func(name string) bool { return name == t.Name })
			if !errors.Is(answer.Err, kerr.UnknownTopicOrPartition) {
				errs[i] = f.explain("deleting topic "+t.Name, answer.Err)
			}
		}
	}
	if err == nil {
		err = cluster.AwaitGone(ctx, admin, names...)
	}
	return target.Because(ctx, err)
}
