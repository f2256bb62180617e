package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// creations counts how often a client asked for a topic to be created. franz-go asks again
// when it gets no answer in time, and the answer then is that the topic exists.
type creations struct{ asked atomic.Int32 }

var _ kgo.HookBrokerWrite = (*creations)(nil)

// OnBrokerWrite implements [kgo.HookBrokerWrite].
func (c *creations) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, _ error) {
	if key == int16(kmsg.CreateTopics) {
		c.asked.Add(1)
	}
}

func (c *creations) repeated() bool { return c.asked.Load() > 1 }

// A wantedTopic is a topic as the options want it.
type wantedTopic struct {
	name                    string
	partitions, replication int // replication is -1 for the broker's default
	config                  map[string]string
}

// create creates the topic and waits until each partition has a leader.
func (w wantedTopic) create(ctx context.Context, admin *kadm.Client, attempts *creations) error {
	created, err := admin.CreateTopic(ctx, int32(w.partitions), int16(w.replication), pointers(w.config), w.name)
	if errors.Is(err, kerr.TopicAlreadyExists) {
		id, ours := kadm.TopicID{}, false
		if attempts.repeated() {
			id, ours = w.own(ctx, admin)
		}
		if !ours { // nothing may be deleted, whatever else has happened
			return err
		}
		created, err = kadm.CreateTopicResponse{Topic: w.name, ID: id}, nil
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
func (w wantedTopic) own(ctx context.Context, admin *kadm.Client) (id kadm.TopicID, ours bool) {
	var found kadm.TopicDetail
	err := poll(ctx, func() (bool, error) {
		details, err := admin.ListTopics(ctx, w.name)
		found = details[w.name]
		return found.Err == nil && led(found), err
	})
	configs, configErr := admin.DescribeTopicConfigs(ctx, w.name)
	of, _ := configs.On(w.name, nil)
	ends, endErr := admin.ListEndOffsets(ctx, w.name)
	written := 0
	ends.Each(func(end kadm.ListedOffset) { written += int(end.Offset) })
	ours = errors.Join(err, configErr, endErr, ends.Error()) == nil && written == 0 && w.is(found) &&
		maps.Equal(settings(of, kmsg.ConfigSourceDynamicTopicConfig), w.config)
	return found.ID, ours
}

// awaitLeaders waits until each partition of the created topic has a leader. It
// compares IDs, because there may have been a topic with that name before.
func (w wantedTopic) awaitLeaders(ctx context.Context, admin *kadm.Client, created kadm.CreateTopicResponse) error {
	return poll(ctx, func() (bool, error) {
		details, err := admin.ListTopics(ctx, created.Topic)
		if err != nil {
			return false, err
		}
		topic := details[created.Topic]
		return topic.Err == nil && topic.ID == created.ID && len(topic.Partitions) == w.partitions && led(topic), nil
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
func (w wantedTopic) is(topic kadm.TopicDetail) bool {
	for _, p := range topic.Partitions {
		if w.replication > 0 && len(p.Replicas) != w.replication {
			return false
		}
	}
	return len(topic.Partitions) == w.partitions
}

// deleteTopic deletes the topic, if there is one, and waits until it is gone.
func deleteTopic(ctx context.Context, admin *kadm.Client, topic string) error {
	_, err := admin.DeleteTopic(ctx, topic)
	if err == nil {
		err = poll(ctx, func() (bool, error) {
			details, err := admin.ListTopics(ctx, topic)
			return errors.Is(details[topic].Err, kerr.UnknownTopicOrPartition), err
		})
	}
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		return nil
	}
	return target.Because(ctx, err)
}
