package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

var errExpires = errors.New("the broker deletes messages")

// Audit implements [requester.Auditor]: it reads every partition of the connections' topics
// from its first offset to the end that it had when the audit began. With acks=0 no message is
// acknowledged, so none can be missing.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	if !f.options.acknowledges() {
		return fmt.Errorf("acks=0 acknowledges nothing: %w", requester.ErrKeepsNothing)
	}
	if f.options.maxAge > 0 {
		return f.explain("reading topics", fmt.Errorf("%w after max-age=%v: which messages were kept is not known", errExpires, f.options.maxAge))
	}
	topics, err := f.topics()
	if err != nil {
		return err
	}
	var from, to kadm.ListedOffsets
	err = f.admin(ctx, func(ctx context.Context, admin *kadm.Client) (err error) {
		from, to, err = cluster.Offsets(ctx, admin, topics)
		return err
	})
	switch {
	case err == nil && len(from) == 0:
		return requester.ErrStoreGone
	case err == nil:
		err = f.read(ctx, from, to, kept)
	}
	return f.explain(fmt.Sprintf("reading topic %s and the others of the run", topics[0]), err)
}

// topics returns the topics of the run.
func (f *Factory) topics() (topics []string, err error) {
	for _, c := range f.all.All() {
		if c.left.Load() {
			topics = append(topics, c.topic)
		}
	}
	if len(topics) == 0 {
		return nil, errNotSetUp
	}
	return topics, nil
}

// read reads from one offset to the other in each partition.
func (f *Factory) read(ctx context.Context, from, to kadm.ListedOffsets, kept func([]byte)) error {
	r := f.dress.NewReading(from, to, kept)
	client, err := kgo.NewClient(append(f.adminOpts(), kgo.WithContext(ctx),
		kgo.ConsumePartitions(from.KOffsets()),
		kgo.ConsumeResetOffset(f.beyond()),
		kgo.KeepControlRecords(), // they have offsets, too: the last may be one
		// Uncommitted messages were not acknowledged. Markers of commits may come a moment later:
		// the audit waits for them.
		kgo.FetchIsolationLevel(isolation(f.options.transactions.on)),
		kgo.FetchMaxBytes(50<<20), kgo.FetchMaxPartitionBytes(int32(max(f.options.maxMessage, 8<<20))),
	)...)
	if err != nil {
		return err
	}
	defer client.Close()
	return r.All(ctx, client)
}

// beyond returns where an audit goes on if an offset is missing. Without a limit of the store that is an error; with one,
// segments may be discarded meanwhile.
func (f *Factory) beyond() kgo.Offset {
	if f.options.retention.Bytes() > 0 {
		return kgo.NewOffset().AtStart()
	}
	return kgo.NoResetOffset()
}

// Store implements [requester.Auditor].
func (f *Factory) Store() requester.Store {
	logs := f.options.partitions
	if !f.dress.Keys.None() {
		logs *= max(f.shared.topology.Topics, 1)
	}
	return requester.Store{Retention: f.options.retention.Bytes(), Logs: logs}
}

// StoreState implements [requester.StoreMeter]. The bytes are those of the log segments, in the copy that has the most.
func (f *Factory) StoreState(ctx context.Context) (s requester.StoreState, err error) {
	if !f.options.acknowledges() {
		return s, requester.ErrKeepsNothing
	}
	topics, err := f.topics()
	if err != nil {
		return s, err
	}
	err = f.admin(ctx, func(ctx context.Context, admin *kadm.Client) (err error) {
		s, err = cluster.Stored(ctx, admin, topics)
		return err
	})
	return s, f.explain("asking for the state of topic "+topics[0]+" and the others of the run", err)
}
