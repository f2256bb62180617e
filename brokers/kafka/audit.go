package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// auditSilence is how long no message comes before an audit gives up: a broker that was
// killed may need that long to be let in again.
const auditSilence = 15 * time.Second

// Audit implements [requester.Auditor]: it reads every partition of the connections' topics
// from its first offset to what was its end when the audit began. With acks=0 nothing is
// acknowledged, so that there is nothing to look for.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	topics := f.made.All()
	if !f.options.acknowledges() {
		return fmt.Errorf("acks=0 promises nothing: %w", requester.ErrKeepsNothing)
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

// dropGone drops the topics that the cluster does not know any more: what was in them is
// lost, and that of the others is read.
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
	r := reading{kept: kept, ends: make(map[partition]int64)}
	to.Each(func(end kadm.ListedOffset) {
		if start, ok := from.Lookup(end.Topic, end.Partition); ok && start.Offset < end.Offset {
			r.ends[partition{end.Topic, end.Partition}] = end.Offset
		}
	})
	client, err := kgo.NewClient(append(f.adminOpts(), kgo.WithContext(ctx),
		kgo.ConsumePartitions(from.KOffsets()),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()), // what is not there is an error
		kgo.KeepControlRecords(),                    // they have offsets, too: the last may be one
		kgo.FetchIsolationLevel(f.options.auditLevel()),
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

// auditLevel returns what of a log an audit reads: what is not committed was not
// acknowledged. The markers of what was committed may come a moment later: it waits for them.
func (o *options) auditLevel() kgo.IsolationLevel {
	if o.transactions.on {
		return kgo.ReadCommitted()
	}
	return kgo.ReadUncommitted()
}

type partition struct {
	topic  string
	number int32
}

// A reading is what is left to read.
type reading struct {
	kept func([]byte)
	ends map[partition]int64 // the end offsets of those that are not read to their end
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

// take passes on what was there when the audit began.
func (r *reading) take(p kgo.FetchTopicPartition) {
	at := partition{p.Topic, p.Partition}
	end, ok := r.ends[at]
	for _, record := range p.Records {
		if record.Offset >= end {
			break
		}
		if record.Key == nil && !record.Attrs.IsControl() {
			r.kept(record.Value)
		}
	}
	if n := len(p.Records); ok && n > 0 && p.Records[n-1].Offset+1 >= end {
		delete(r.ends, at)
	}
}
