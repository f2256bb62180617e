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

// Create creates the topic and waits until each partition has a leader.
func (w Topic) Create(ctx context.Context, admin *kadm.Client, attempts *Attempts) error {
	created, err := admin.CreateTopic(ctx, int32(w.Partitions), int16(w.Replication), pointers(w.Config), w.Name)
	if errors.Is(err, kerr.TopicAlreadyExists) {
		id, ours := kadm.TopicID{}, false
		if attempts.Repeated() {
			id, ours = w.own(ctx, admin)
		}
		if !ours { // nothing may be deleted, whatever else has happened
			return err
		}
		created, err = kadm.CreateTopicResponse{Topic: w.Name, ID: id}, nil
	}
	if err == nil {
		err = w.awaitLeaders(ctx, admin, created)
	} else if created.ErrMessage != "" {
		err = fmt.Errorf("%w: %s", err, created.ErrMessage)
	}
	return target.Because(ctx, err)
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

// awaitLeaders waits until each partition of the created topic has a leader. It
// compares IDs, because there may have been a topic with that name before.
func (w Topic) awaitLeaders(ctx context.Context, admin *kadm.Client, created kadm.CreateTopicResponse) error {
	return Poll(ctx, func() (bool, error) {
		details, err := admin.ListTopics(ctx, created.Topic)
		if err != nil {
			return false, err
		}
		topic := details[created.Topic]
		return topic.Err == nil && topic.ID == created.ID && len(topic.Partitions) == w.Partitions && led(topic), nil
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
		err = Poll(ctx, func() (bool, error) {
			details, err := admin.ListTopics(ctx, topics...)
			there := func(topic string) bool { return !errors.Is(details[topic].Err, kerr.UnknownTopicOrPartition) }
			return !slices.ContainsFunc(topics, there), err
		})
	}
	return target.Because(ctx, err)
}
