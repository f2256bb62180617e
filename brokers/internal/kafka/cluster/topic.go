package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Attempts counts how often a client asked for a topic to be created. franz-go asks again
// when it gets no answer in time, and the answer then is that the topic exists.
type Attempts struct{ asked atomic.Int32 }

var _ kgo.HookBrokerWrite = (*Attempts)(nil)

// OnBrokerWrite implements [kgo.HookBrokerWrite].
func (c *Attempts) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, _ error) {
	if key == int16(kmsg.CreateTopics) {
		c.asked.Add(1)
	}
}

// Repeated reports whether it asked more than once.
func (c *Attempts) Repeated() bool { return c.asked.Load() > 1 }

// A Topic is one to create.
type Topic struct {
	Name                    string
	Partitions, Replication int // Replication is -1 for the broker's default
	Config                  map[string]string
}

// CreateTopics creates topics that differ in nothing but their names, in one request, and waits until each partition has
// a leader. It returns an error for each topic.
func CreateTopics(ctx context.Context, admin *kadm.Client, attempts *Attempts, topics ...Topic) []error {
	names := make([]string, len(topics))
	for i, w := range topics {
		names[i] = w.Name
	}
	like := topics[0]
	answers, err := admin.CreateTopics(ctx, int32(like.Partitions), int16(like.Replication), pointers(like.Config), names...)
	ids, errs := make([]kadm.TopicID, len(topics)), make([]error, len(topics))
	for i, w := range topics {
		ids[i], errs[i] = w.created(ctx, admin, attempts, answers[w.Name], err)
	}
	if errors.Join(errs...) == nil {
		err = awaitLeaders(ctx, admin, topics, ids)
		for i := range errs {
			errs[i] = err
		}
	}
	for i := range errs {
		errs[i] = target.Because(ctx, errs[i])
	}
	return errs
}

// created returns the ID of a topic that was asked for, or why it was not created.
func (w Topic) created(ctx context.Context, admin *kadm.Client, attempts *Attempts, answer kadm.CreateTopicResponse, err error) (kadm.TopicID, error) {
	err = cmp.Or(err, answer.Err)
	switch {
	case errors.Is(err, kerr.TopicAlreadyExists) && attempts.Repeated():
		if id, ours := w.own(ctx, admin); ours { // else nothing may be deleted, whatever else has happened
			return id, nil
		}
	case err != nil && answer.ErrMessage != "" && !errors.Is(err, kerr.TopicAlreadyExists):
		err = fmt.Errorf("%w: %s", err, answer.ErrMessage)
	}
	return answer.ID, err
}

// pointers returns settings as kadm takes them.
func pointers(config map[string]string) map[string]*string {
	all := make(map[string]*string, len(config))
	for name, value := range config {
		all[name] = &value
	}
	return all
}

// own returns the ID of the topic if an earlier attempt has created it: it is as the options
// want it and never had a message. Its name contains a run's random number, and each run begins
// with a message.
func (w Topic) own(ctx context.Context, admin *kadm.Client) (id kadm.TopicID, ours bool) {
	var found kadm.TopicDetail
	err := Poll(ctx, func() (bool, error) {
		details, err := admin.ListTopics(ctx, w.Name)
		found = details[w.Name]
		return found.Err == nil && led(found), err
	})
	configs, configErr := admin.DescribeTopicConfigs(ctx, w.Name)
	of, _ := configs.On(w.Name, nil)
	ends, endErr := admin.ListEndOffsets(ctx, w.Name)
	written := 0
	ends.Each(func(end kadm.ListedOffset) { written += int(end.Offset) })
	ours = errors.Join(err, configErr, endErr, ends.Error()) == nil && written == 0 && w.is(found) &&
		maps.Equal(Settings(of, kmsg.ConfigSourceDynamicTopicConfig), w.Config)
	return found.ID, ours
}

// awaitLeaders waits until each partition of the created topics has a leader. It
// compares IDs, because there may have been topics with those names before.
func awaitLeaders(ctx context.Context, admin *kadm.Client, topics []Topic, ids []kadm.TopicID) error {
	names := make([]string, len(topics))
	for i, w := range topics {
		names[i] = w.Name
	}
	return Poll(ctx, func() (bool, error) {
		details, err := admin.ListTopics(ctx, names...)
		if err != nil {
			return false, err
		}
		for i, w := range topics {
			topic := details[w.Name]
			if topic.Err != nil || topic.ID != ids[i] || len(topic.Partitions) != w.Partitions || !led(topic) {
				return false, nil
			}
		}
		return true, nil
	})
}

// led reports whether each partition of a topic has a leader.
func led(topic kadm.TopicDetail) bool {
	for _, p := range topic.Partitions {
		if p.Err != nil || p.Leader < 0 {
			return false
		}
	}
	return len(topic.Partitions) > 0
}

// is reports whether a topic has the partitions and replicas that are wanted.
func (w Topic) is(topic kadm.TopicDetail) bool {
	for _, p := range topic.Partitions {
		if w.Replication > 0 && len(p.Replicas) != w.Replication {
			return false
		}
	}
	return len(topic.Partitions) == w.Partitions
}

// DeleteTopics deletes those of the topics that there are, in one request, and waits until all are gone.
func DeleteTopics(ctx context.Context, admin *kadm.Client, topics ...string) error {
	if len(topics) == 0 { // kadm lists all topics if it gets no name
		return nil
	}
	answers, err := admin.DeleteTopics(ctx, topics...)
	for _, answer := range answers {
		if !errors.Is(answer.Err, kerr.UnknownTopicOrPartition) {
			err = cmp.Or(err, answer.Err)
		}
	}
	if err == nil {
		err = AwaitGone(ctx, admin, topics...)
	}
	return target.Because(ctx, err)
}

// AwaitGone waits until none of the topics is there: after its deletion a topic is listed for another moment.
func AwaitGone(ctx context.Context, admin *kadm.Client, topics ...string) error {
	if len(topics) == 0 {
		return nil
	}
	return Poll(ctx, func() (bool, error) {
		details, err := admin.ListTopics(ctx, topics...)
		there := func(topic string) bool { return !errors.Is(details[topic].Err, kerr.UnknownTopicOrPartition) }
		return !slices.ContainsFunc(topics, there), err
	})
}
