package kafka

import (
	"context"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// adminLimit is for one administrative request with its retries, or for the probes.
const adminLimit = 10 * time.Second

// administrator returns one whose requests are made over a client.
func administrator(client *kgo.Client) *kadm.Client {
	admin := kadm.NewClient(client)
	admin.SetTimeoutMillis(int32(adminLimit.Milliseconds() / 2))
	return admin
}

// settle is the pause between questions whether the cluster has caught up.
const settle = 10 * time.Millisecond

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

// awaitEnd waits until the coordinator has ended a client's last transaction. If it ends one while
// the topic is deleted, Kafka (4.3.1) ends none for 30 s, of any client (request.timeout.ms).
func awaitEnd(ctx context.Context, admin *kadm.Client, id string) {
	_ = poll(ctx, func() (bool, error) {
		all, err := admin.DescribeTransactions(ctx, id)
		return !strings.HasPrefix(all[id].State, "Prepare"), err
	})
}
