package dress

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// auditSilence is how long no message comes before an audit gives up: a broker that was
// killed may need that long to be let in again.
const auditSilence = 15 * time.Second

// NewReading returns the reading of topics from one offset to another in each partition.
func (d *Dress) NewReading(from, to kadm.ListedOffsets, kept func([]byte)) *Reading {
	r := &Reading{kept: kept, dress: d, ends: make(map[place]int64)}
	to.Each(func(end kadm.ListedOffset) {
		if start, ok := from.Lookup(end.Topic, end.Partition); ok && start.Offset < end.Offset {
			r.ends[place{end.Topic, end.Partition}] = end.Offset
		}
	})
	return r
}

// All passes on all messages that a client receives, which consumes the partitions.
func (r *Reading) All(ctx context.Context, client *kgo.Client) error {
	for len(r.ends) > 0 {
		if err := r.poll(ctx, client); err != nil {
			return err
		}
	}
	return nil
}

// A place is a partition of a topic.
type place struct {
	topic  string
	number int32
}

// A Reading is the part of the topics that is left to read.
type Reading struct {
	kept  func([]byte)
	dress *Dress
	ends  map[place]int64 // the end offsets of those that are not read to their end
}

// poll reads what comes next.
func (r *Reading) poll(ctx context.Context, client *kgo.Client) error {
	patience, cancel := context.WithTimeout(ctx, auditSilence)
	defer cancel()
	fetches := client.PollFetches(patience)
	switch err := fetches.Err(); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case patience.Err() != nil && fetches.NumRecords() == 0:
		return fmt.Errorf("no message for %v, and %d partitions are not read to their end", auditSilence, len(r.ends))
	case err != nil && patience.Err() == nil:
		return err
	}
	fetches.EachPartition(r.take)
	return nil
}

// take passes on messages that were there when the audit began.
func (r *Reading) take(p kgo.FetchTopicPartition) {
	at := place{p.Topic, p.Partition}
	end, ok := r.ends[at]
	for _, record := range p.Records {
		if record.Offset >= end {
			break
		}
		if !IsProbe(record) && !record.Attrs.IsControl() {
			r.kept(r.dress.Payload(new([]byte), record))
		}
	}
	if n := len(p.Records); ok && n > 0 && p.Records[n-1].Offset+1 >= end {
		delete(r.ends, at)
	}
}
