// Package cluster creates, deletes and describes what a Kafka cluster has: topics, groups, settings
// and leaders. It sends no messages.
package cluster

import (
	"context"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Limit bounds one administrative request with its retries, or for the probes.
const Limit = 10 * time.Second

// Admin returns an administrator whose requests go over a client.
func Admin(client *kgo.Client) *kadm.Client {
	admin := kadm.NewClient(client)
	admin.SetTimeoutMillis(int32(Limit.Milliseconds() / 2))
	return admin
}

// settle is the pause between questions whether the cluster has caught up.
const settle = 10 * time.Millisecond

// Poll calls done until it returns true or an error, or ctx is done.
func Poll(ctx context.Context, done func() (bool, error)) error {
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

// AwaitEnd waits until the coordinator has ended a client's last transaction. If it ends one while
// the topic is deleted, Kafka (4.3.1) ends none for 30 s, of any client (request.timeout.ms).
func AwaitEnd(ctx context.Context, admin *kadm.Client, id string) {
	_ = Poll(ctx, func() (bool, error) {
		all, err := admin.DescribeTransactions(ctx, id)
		return !strings.HasPrefix(all[id].State, "Prepare"), err
	})
}
