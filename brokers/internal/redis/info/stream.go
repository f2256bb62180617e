package info

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

// AddState adds what a server says of a stream to a state. A server before Redis 7 does not count what it has discarded.
func AddState(ctx context.Context, client *redis.Client, stream string, s *requester.StoreState) error {
	of, err := client.XInfoStream(ctx, stream).Result()
	if err != nil {
		return err
	}
	bytes, err := client.MemoryUsage(ctx, stream).Result()
	s.Messages, s.Bytes = s.Messages+of.Length, s.Bytes+bytes
	if gone := of.EntriesAdded - of.Length; gone < 0 || s.Discarded < 0 {
		s.Discarded = -1
	} else {
		s.Discarded += gone
	}
	return err
}

// Look adds the last ID of each stream to seen; none of one that is gone.
func Look(ctx context.Context, client *redis.Client, names []string, seen map[string]leftover.Seen) error {
	for _, name := range names {
		stream, err := client.XInfoStream(ctx, name).Result()
		if err != nil && !strings.Contains(err.Error(), "no such key") {
			return err
		}
		if err == nil {
			seen[name] = leftover.Seen{State: stream.LastGeneratedID, Used: added(stream.LastGeneratedID)}
		}
	}
	return nil
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
