package cluster

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// Look returns the number of messages that each topic ever had, and the time of the newest; of a topic that is not
// there, nothing.
func Look(ctx context.Context, admin *kadm.Client, names []string) (map[string]leftover.Seen, error) {
	ends, err := admin.ListEndOffsets(ctx, names...)
	if err = besidesGone(err); err != nil {
		return nil, err
	}
	newest, err := admin.ListMaxTimestampOffsets(ctx, names...)
	seen := make(map[string]leftover.Seen)
	for _, name := range names {
		total, there := int64(0), len(ends[name]) > 0 && len(newest[name]) > 0
		for _, end := range ends[name] {
			total += end.Offset
			there = there && !errors.Is(end.Err, kerr.UnknownTopicOrPartition)
		}
		if !there {
			continue
		}
		seen[name] = leftover.Seen{State: strconv.FormatInt(total, 10), Used: lastWritten(newest[name])}
	}
	return seen, besidesGone(err)
}

// besidesGone returns an error of a listing, unless all that failed were topics that others deleted while it was made.
func besidesGone(err error) error {
	failed, ok := errors.AsType[*kadm.ShardErrors](err)
	if !ok || slices.ContainsFunc(failed.Errs, func(e kadm.ShardError) bool { return !errors.Is(e.Err, kerr.UnknownTopicOrPartition) }) {
		return err
	}
	return nil
}

// lastWritten returns the time of the newest message; zero if there is none, and now
// if the broker does not reveal it (before Kafka 3.0).
func lastWritten(newest map[int32]kadm.ListedOffset) (at time.Time) {
	for _, o := range newest {
		switch written := time.UnixMilli(o.Timestamp); {
		case o.Err != nil:
			return time.Now()
		case o.Timestamp > 0 && written.After(at):
			at = written
		}
	}
	return at
}
