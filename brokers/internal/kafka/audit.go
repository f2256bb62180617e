package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/dress"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// auditSilence is how long no message comes before an audit gives up: a broker that was
// killed may need that long to be let in again.
const auditSilence = 15 * time.Second

// Audit implements [requester.Auditor]: it reads every partition of the connections' topics
// from its first offset to the end that it had when the audit began. With acks=0 no message is
// acknowledged, so none can be missing.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	var topics []string
	for _, c := range f.all.All() {
		if c.left.Load() {
			topics = append(topics, c.topic)
		}
	}
	if !f.options.acknowledges() {
		return fmt.Errorf("acks=0 acknowledges nothing: %w", requester.ErrKeepsNothing)
	}
	if len(topics) == 0 {
		return errNotSetUp
	}
	var from, to kadm.ListedOffsets
	err := f.admin(ctx, func(ctx context.Context, admin *kadm.Client) (err error) {
		if from, err = admin.ListStartOffsets(ctx, topics...); err != nil {
			return err
		}
		if to, err = admin.ListEndOffsets(ctx, topics...); err != nil {
			return err
		}
		dropGone(from)
		dropGone(to)
		return errors.Join(from.Error(), to.Error())
	})
	switch {
	case err == nil && len(from) == 0:
		return requester.ErrStoreGone
	case err == nil:
		err = f.read(ctx, from, to, kept)
	}
	return f.explain(fmt.Sprintf("reading topic %s and the others of the run", topics[0]), err)
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

// read reads from one offset to the other in each partition.
func (f *Factory) read(ctx context.Context, from, to kadm.ListedOffsets, kept func([]byte)) error {
	r := reading{kept: kept, dress: &f.dress, ends: make(map[partition]int64)}
	to.Each(func(end kadm.ListedOffset) {
		if start, ok := from.Lookup(end.Topic, end.Partition); ok && start.Offset < end.Offset {
			r.ends[partition{end.Topic, end.Partition}] = end.Offset
		}
	})
	client, err := kgo.NewClient(append(f.adminOpts(), kgo.WithContext(ctx),
		kgo.ConsumePartitions(from.KOffsets()),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()), // a missing offset is an error
		kgo.KeepControlRecords(),                    // they have offsets, too: the last may be one
		// Uncommitted messages were not acknowledged. Markers of commits may come a moment later:
		// the audit waits for them.
		kgo.FetchIsolationLevel(isolation(f.options.transactions.on)),
		kgo.FetchMaxBytes(50<<20), kgo.FetchMaxPartitionBytes(int32(max(f.options.maxMessage, 8<<20))),
	)...)
	if err != nil {
		return err
	}
	defer client.Close()
	for len(r.ends) > 0 {
		if err := r.poll(ctx, client); err != nil {
			return err
		}
	}
	return nil
}

type partition struct {
	topic  string
	number int32
}

// A reading is the part of the topics that is left to read.
type reading struct {
	kept  func([]byte)
	dress *dress.Dress
	ends  map[partition]int64 // the end offsets of those that are not read to their end
}

// poll reads what comes next.
func (r *reading) poll(ctx context.Context, client *kgo.Client) error {
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
func (r *reading) take(p kgo.FetchTopicPartition) {
	at := partition{p.Topic, p.Partition}
	end, ok := r.ends[at]
	for _, record := range p.Records {
		if record.Offset >= end {
			break
		}
		if !dress.IsProbe(record) && !record.Attrs.IsControl() {
			r.kept(r.dress.Payload(new([]byte), record))
		}
	}
	if n := len(p.Records); ok && n > 0 && p.Records[n-1].Offset+1 >= end {
		delete(r.ends, at)
	}
}
