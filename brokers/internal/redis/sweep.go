package redis

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

var _ requester.Sweeper = (*Factory)(nil)

// Left implements [requester.Sweeper].
func (f *Factory) Left() []string { return transport.Left(&f.all) }

// Find implements [requester.Sweeper]. It finds the streams in the database of the URL.
// The ID of a stream's last message has the time when the stream was last used.
func (f *Factory) Find(ctx context.Context, q requester.LeftoverQuery) (things []requester.Leftover, _ string, err error) {
	err = f.with(ctx, "looking for streams", func(client *redis.Client) error {
		names, err := streams(ctx, client, q)
		if err == nil {
			things, err = leftover.Watch(ctx, "stream", func() (map[string]leftover.Seen, error) { return look(ctx, client, names) })
		}
		return err
	})
	return things, "", err
}

// streams returns the names of streams that the query wants.
func streams(ctx context.Context, client *redis.Client, q requester.LeftoverQuery) (names []string, err error) {
	seen := make(map[string]bool) // SCAN may return a name twice
	all := client.ScanType(ctx, 0, "brokerbench.*", 1000, "stream").Iterator()
	for all.Next(ctx) {
		if name := all.Val(); leftover.Wants(q, name) && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names, all.Err()
}

// look returns the last ID of each stream; none of one that is gone.
func look(ctx context.Context, client *redis.Client, names []string) (map[string]leftover.Seen, error) {
	seen := make(map[string]leftover.Seen)
	for _, name := range names {
		stream, err := client.XInfoStream(ctx, name).Result()
		if err != nil && !strings.Contains(err.Error(), "no such key") {
			return nil, err
		}
		if err == nil {
			seen[name] = leftover.Seen{State: stream.LastGeneratedID, Used: added(stream.LastGeneratedID)}
		}
	}
	return seen, nil
}

// added returns when the message with an ID was added, such as 1763814000000-0; zero if
// that is not known.
func added(id string) time.Time {
	text, _, _ := strings.Cut(id, "-")
	if at, err := strconv.ParseInt(text, 10, 64); err == nil && at > 0 {
		return time.UnixMilli(at)
	}
	return time.Time{}
}

// Remove implements [requester.Sweeper].
func (f *Factory) Remove(ctx context.Context, things []requester.Leftover) []error {
	errs := make([]error, len(things))
	for i, t := range things {
		errs[i] = f.remove(ctx, t.Name)
	}
	return errs
}
