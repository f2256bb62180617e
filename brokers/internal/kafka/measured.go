package kafka

import (
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/endings"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kgo"
)

// measured counts how the clients of a factory sent the messages: the options limit a batch
// and the time for which a transaction stays open, but do not determine them.
type measured struct {
	batches, records, bytes atomic.Int64 // that the broker took
	redelivered             atomic.Int64 // to a share group

	transactions endings.Transactions
}

// A batchCounter counts the batches of a client, after the call of count, without those of the
// probes. franz-go calls it from another goroutine, once a batch.
type batchCounter struct {
	*measured
	counting atomic.Bool
}

var _ kgo.HookProduceBatchWritten = (*batchCounter)(nil)

func (b *batchCounter) count() { b.counting.Store(true) }

// OnProduceBatchWritten implements [kgo.HookProduceBatchWritten].
func (b *batchCounter) OnProduceBatchWritten(_ kgo.BrokerMetadata, _ string, _ int32, batch kgo.ProduceBatchMetrics) {
	if !b.counting.Load() {
		return
	}
	b.batches.Add(1)
	b.records.Add(int64(batch.NumRecords))
	b.bytes.Add(int64(batch.CompressedBytes))
}

// Measured implements [requester.Measurer].
func (f *Factory) Measured() []requester.Setting {
	var r endings.Results
	batches := f.measured.batches.Load()
	r.AddCount("batches", batches, "batches that the broker took, those of the warm-up too")
	if batches > 0 {
		r.Add("records/batch", endings.Ratio(f.measured.records.Load(), batches), "messages in a batch, on average")
		r.AddCount("bytes/batch", f.measured.bytes.Load()/batches, "bytes in a batch, after compression and without its head of 61 bytes, on average")
	}
	if f.options.transactions.on {
		f.measured.transactions.AddTo(&r)
	}
	if f.options.shares() {
		r.AddCount("redelivered", f.measured.redelivered.Load(), "messages that the share group delivered again")
	}
	return r
}
