package redis

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/redis/go-redis/v9"
)

// watch is how long Find watches streams for new messages: clocks may be wrong.
const watch = 2 * time.Second

var _ leftover.Sweeper = (*Factory)(nil)

// Find implements [leftover.Sweeper]. It finds the streams in the database of the URL.
// A stream was used when its last message was added, which its ID says, and it is in use
// if messages arrive.
func (f *Factory) Find(ctx context.Context, q leftover.Query) (things []leftover.Thing, _ string, err error) {
	err = f.with(ctx, "looking for streams", func(client *redis.Client) error {
		names, err := streams(ctx, client, q)
		if err != nil || len(names) == 0 {
			return err
		}
		things, err = watched(ctx, client, names)
		return err
	})
	return things, "", err
}

// streams returns the names of streams that the query wants.
func streams(ctx context.Context, client *redis.Client, q leftover.Query) (names []string, err error) {
	seen := make(map[string]bool) // SCAN may say a name twice
	all := client.ScanType(ctx, 0, "brokerbench.*", 1000, "stream").Iterator()
	for all.Next(ctx) {
		if name := all.Val(); q.Wants(name) && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names, all.Err()
}

// watched looks at streams twice.
func watched(ctx context.Context, client *redis.Client, names []string) ([]leftover.Thing, error) {
	before, err := lastIDs(ctx, client, names)
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(watch):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	after, err := lastIDs(ctx, client, names)
	if err != nil {
		return nil, err
	}
	things := make([]leftover.Thing, len(names))
	for i, name := range names {
		things[i] = leftover.Thing{Kind: "stream", Name: name, Used: added(after[i])}
		if after[i] != before[i] {
			things[i].Busy = "messages arrive"
		}
	}
	return things, nil
}

// lastIDs returns the ID of each stream's last message; "" of one that is gone.
func lastIDs(ctx context.Context, client *redis.Client, names []string) ([]string, error) {
	ids := make([]string, len(names))
	for i, name := range names {
		info, err := client.XInfoStream(ctx, name).Result()
		if err != nil && !strings.Contains(err.Error(), "no such key") {
			return nil, err
		}
		if err == nil {
			ids[i] = info.LastGeneratedID
		}
	}
	return ids, nil
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

// Remove implements [leftover.Sweeper].
func (f *Factory) Remove(ctx context.Context, things []leftover.Thing) []error {
	errs := make([]error, len(things))
	for i, t := range things {
		errs[i] = f.remove(ctx, t.Name)
	}
	return errs
}
