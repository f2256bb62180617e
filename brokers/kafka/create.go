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
// when it gets no answer in time, and is told then that the topic exists: it made it itself.
type creations struct{ asked atomic.Int32 }

var _ kgo.HookBrokerWrite = (*creations)(nil)

// OnBrokerWrite implements [kgo.HookBrokerWrite].
func (c *creations) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, _ error) {
	if key == int16(kmsg.CreateTopics) {
		c.asked.Add(1)
	}
}

func (c *creations) repeated() bool { return c.asked.Load() > 1 }

// createTopic creates the topic and waits until each partition has a leader.
func (f *Factory) createTopic(ctx context.Context, admin *kadm.Client, topic string, attempts *creations) error {
	created, err := admin.CreateTopic(ctx, int32(f.options.partitions), int16(f.options.replication), f.options.topicConfig(), topic)
	if errors.Is(err, kerr.TopicAlreadyExists) {
		id, ours := kadm.TopicID{}, false
		if attempts.repeated() {
			id, ours = f.own(ctx, admin, topic)
		}
		if !ours { // whatever else has happened: nothing may be deleted
			return f.explain("creating topic "+topic, err)
		}
		created, err = kadm.CreateTopicResponse{Topic: topic, ID: id}, nil
	}
	if err == nil {
		err = f.awaitLeaders(ctx, admin, created)
	} else if created.ErrMessage != "" {
		err = fmt.Errorf("%w: %s", err, created.ErrMessage)
	}
	return f.explain("creating topic "+topic, target.Because(ctx, err))
}

// own returns the ID of the topic if an earlier attempt to create it has made it: that is
// shown if it is as we wanted it and no message was ever in it. Its name has a run's random
// number, and each run begins with a message.
func (f *Factory) own(ctx context.Context, admin *kadm.Client, topic string) (id kadm.TopicID, ours bool) {
	var found kadm.TopicDetail
	err := poll(ctx, func() (bool, error) {
		details, err := admin.ListTopics(ctx, topic)
		found = details[topic]
		return found.Err == nil && led(found), err
	})
	if err != nil || !f.wanted(found) {
		return id, false
	}
	configs, err := admin.DescribeTopicConfigs(ctx, topic)
	if err != nil || !maps.Equal(setOn(configs, topic), values(f.options.topicConfig())) {
		return id, false
	}
	ends, err := admin.ListEndOffsets(ctx, topic)
	if err != nil || ends.Error() != nil {
		return id, false
	}
	for _, end := range ends[topic] {
		if end.Offset != 0 {
			return id, false
		}
	}
	return found.ID, true
}

// setOn returns the settings that were set on the topic itself.
func setOn(configs kadm.ResourceConfigs, topic string) map[string]string {
	set := make(map[string]string)
	for _, resource := range configs {
		for _, config := range resource.Configs {
			if resource.Name == topic && config.Source == kmsg.ConfigSourceDynamicTopicConfig {
				set[config.Key] = config.MaybeValue()
			}
		}
	}
	return set
}

func values(config map[string]*string) map[string]string {
	plain := make(map[string]string, len(config))
	for name, value := range config {
		plain[name] = *value
	}
	return plain
}

// awaitLeaders waits until each partition of the created topic has a leader. It
// compares IDs, because there may have been a topic with that name before.
func (f *Factory) awaitLeaders(ctx context.Context, admin *kadm.Client, created kadm.CreateTopicResponse) error {
	return poll(ctx, func() (bool, error) {
		details, err := admin.ListTopics(ctx, created.Topic)
		if err != nil {
			return false, err
		}
		topic := details[created.Topic]
		return topic.Err == nil && topic.ID == created.ID && len(topic.Partitions) == f.options.partitions && led(topic), nil
	})
}

// led tells whether each partition of a topic has a leader.
func led(topic kadm.TopicDetail) bool {
	for _, p := range topic.Partitions {
		if p.Err != nil || p.Leader < 0 {
			return false
		}
	}
	return len(topic.Partitions) > 0
}

// wanted tells whether a topic has the partitions and replicas that the options say.
func (f *Factory) wanted(topic kadm.TopicDetail) bool {
	for _, p := range topic.Partitions {
		if f.options.replication != brokerDefault && len(p.Replicas) != f.options.replication {
			return false
		}
	}
	return len(topic.Partitions) == f.options.partitions
}
