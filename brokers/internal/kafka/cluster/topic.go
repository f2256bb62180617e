package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
		ids[i], errs[i] = attempts.made(answers[w.Name], err)
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

// made returns the ID of a topic that was asked for, or why it was not created. One that existed when the client
// asked again was created by an earlier request: its name contains a run's random number. Its ID is zero then.
func (c *Attempts) made(answer kadm.CreateTopicResponse, err error) (kadm.TopicID, error) {
	err = cmp.Or(err, answer.Err)
	switch exists := errors.Is(err, kerr.TopicAlreadyExists); {
	case exists && c.Repeated():
		return kadm.TopicID{}, nil
	case err != nil && !exists && answer.ErrMessage != "":
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

// awaitLeaders waits until each partition of the created topics has a leader. It
// compares the IDs that are known, because there may have been topics with those names before.
func awaitLeaders(ctx context.Context, admin *kadm.Client, topics []Topic, ids []kadm.TopicID) error {
	names := make([]string, len(topics))
	for i, w := range topics {
		names[i] = w.Name
	}
	var unknown kadm.TopicID
	return Poll(ctx, func() (bool, error) {
		details, err := admin.ListTopics(ctx, names...)
		if err != nil {
			return false, err
		}
		for i, w := range topics {
			topic := details[w.Name]
			if topic.Err != nil || ids[i] != unknown && topic.ID != ids[i] || len(topic.Partitions) != w.Partitions || !led(topic) {
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
