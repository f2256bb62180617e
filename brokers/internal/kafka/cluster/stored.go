package cluster

import (
	"context"
	"errors"
	"maps"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// Offsets returns where each partition begins and ends.
func Offsets(ctx context.Context, admin *kadm.Client, topics []string) (from, to kadm.ListedOffsets, err error) {
	if from, err = admin.ListStartOffsets(ctx, topics...); err != nil {
		return nil, nil, err
	}
	if to, err = admin.ListEndOffsets(ctx, topics...); err != nil {
		return nil, nil, err
	}
	dropGone(from)
	dropGone(to)
	return from, to, errors.Join(from.Error(), to.Error())
}

// dropGone drops the topics that the cluster has lost, with their messages; the others are read.
func dropGone(offsets kadm.ListedOffsets) {
	maps.DeleteFunc(offsets, func(_ string, partitions map[int32]kadm.ListedOffset) bool {
		for _, p := range partitions {
			if errors.Is(p.Err, kerr.UnknownTopicOrPartition) {
				return true
			}
		}
		return false
	})
}

// Stored returns what topics store. The bytes are those of the log segments, in the copy that has the most.
func Stored(ctx context.Context, admin *kadm.Client, topics []string) (s requester.StoreState, err error) {
	from, to, err := Offsets(ctx, admin, topics)
	if err != nil {
		return s, err
	}
	var set kadm.TopicsSet
	to.Each(func(end kadm.ListedOffset) {
		start, _ := from.Lookup(end.Topic, end.Partition)
		s.Messages, s.Discarded = s.Messages+end.Offset-start.Offset, s.Discarded+start.Offset
		set.Add(end.Topic, end.Partition)
	})
	dirs, err := admin.DescribeAllLogDirs(ctx, set)
	s.Bytes = bytesIn(dirs)
	return s, err
}

// A place is a partition of a topic.
type place struct {
	topic     string
	partition int32
}

// bytesIn adds up the largest copies of each partition; -1 if no broker says how large they are.
func bytesIn(dirs kadm.DescribedAllLogDirs) int64 {
	largest, sum := make(map[place]int64), int64(0)
	dirs.Each(func(d kadm.DescribedLogDir) {
		d.Topics.Each(func(p kadm.DescribedLogDirPartition) {
			at := place{p.Topic, p.Partition}
			largest[at] = max(largest[at], p.Size)
		})
	})
	for _, n := range largest {
		sum += n
	}
	if len(largest) == 0 {
		return -1
	}
	return sum
}
