package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// settle is the pause between questions whether the cluster has caught up.
const settle = 10 * time.Millisecond

// admin calls do with a new client that has reached a broker within the limit. The
// client ends with ctx: otherwise franz-go would wait for a broker that does not
// answer.
func (f *Factory) admin(ctx context.Context, limit time.Duration, do func(context.Context, *kadm.Client) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	client, err := kgo.NewClient(append(f.adminOpts(), kgo.WithContext(ctx), kgo.WithHooks(exhausted(cancel)))...)
	if err != nil {
		return fmt.Errorf("kafka: making a client: %w", err)
	}
	defer client.Close()
	late := time.AfterFunc(limit, func() { cancel(context.DeadlineExceeded) }) // Ping heeds only its client's context
	// Ping, unlike everything else, does not retry: its error is the cause.
	err = client.Ping(ctx)
	late.Stop()
	if err != nil {
		return f.explain("connecting", target.Because(ctx, err))
	}
	admin := kadm.NewClient(client)
	admin.SetTimeoutMillis(int32(adminLimit.Milliseconds() / 2))
	return do(ctx, admin)
}

// createTopic creates the topic and waits until each partition has a leader.
func (f *Factory) createTopic(ctx context.Context, admin *kadm.Client, topic string) error {
	created, err := admin.CreateTopic(ctx, int32(f.options.partitions), int16(f.options.replication), f.options.topicConfig(), topic)
	if err == nil {
		err = f.awaitLeaders(ctx, admin, created)
	} else if created.ErrMessage != "" {
		err = fmt.Errorf("%w: %s", err, created.ErrMessage)
	}
	return f.explain("creating topic "+topic, target.Because(ctx, err))
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
		return topic.Err == nil && topic.ID == created.ID && f.led(topic), nil
	})
}

func (f *Factory) led(topic kadm.TopicDetail) bool {
	if len(topic.Partitions) != f.options.partitions {
		return false
	}
	for _, p := range topic.Partitions {
		if p.Err != nil || p.Leader < 0 {
			return false
		}
	}
	return true
}

// deleteTopic deletes the topic, if there is one, and waits until it is gone.
func (f *Factory) deleteTopic(ctx context.Context, admin *kadm.Client, topic string) error {
	_, err := admin.DeleteTopic(ctx, topic)
	if err == nil {
		err = awaitGone(ctx, admin, topic)
	}
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		return nil
	}
	return f.explain("deleting topic "+topic, target.Because(ctx, err))
}

func awaitGone(ctx context.Context, admin *kadm.Client, topic string) error {
	return poll(ctx, func() (bool, error) {
		details, err := admin.ListTopics(ctx, topic)
		return errors.Is(details[topic].Err, kerr.UnknownTopicOrPartition), err
	})
}

// poll calls done until it returns true or an error, or ctx is done.
func poll(ctx context.Context, done func() (bool, error)) error {
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-time.After(settle):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
