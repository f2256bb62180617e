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

// admin is asking for those who need no more than kadm.
func (f *Factory) admin(ctx context.Context, do func(context.Context, *kadm.Client) error) error {
	return f.asking(ctx, adminLimit, func(ctx context.Context, client *kgo.Client) error { return do(ctx, administrator(client)) })
}

func administrator(client *kgo.Client) *kadm.Client {
	admin := kadm.NewClient(client)
	admin.SetTimeoutMillis(int32(adminLimit.Milliseconds() / 2))
	return admin
}

// asking calls do with a new client that has reached a broker within the limit, and that has
// the hooks. The client ends with ctx: otherwise franz-go would wait for a broker that does
// not answer.
func (f *Factory) asking(ctx context.Context, limit time.Duration, do func(context.Context, *kgo.Client) error, hooks ...kgo.Hook) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	client, err := kgo.NewClient(append(f.adminOpts(), kgo.WithContext(ctx), kgo.WithHooks(append(hooks, exhausted(cancel))...))...)
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
	return do(ctx, client)
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
