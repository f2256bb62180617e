package kafka

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kgo"
)

// measured counts how the clients of a factory sent the messages: the options limit a batch
// and the time for which a transaction stays open, but do not determine them.
type measured struct {
	batches, records, bytes atomic.Int64 // that the broker took
	redelivered             atomic.Int64 // to a share group

	transactions transactionTimes
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

// results are what [Factory.Measured] returns.
type results []requester.Setting

func (r *results) add(name, value, doc string) {
	*r = append(*r, requester.Setting{Name: name, Value: value, Doc: doc})
}

func (r *results) addCount(name string, n int64, doc string) {
	r.add(name, strconv.FormatInt(n, 10), doc)
}

// Measured implements [requester.Measurer].
func (f *Factory) Measured() []requester.Setting {
	var r results
	batches := f.measured.batches.Load()
	r.addCount("batches", batches, "batches that the broker took, those of the warm-up too")
	if batches > 0 {
		r.add("records/batch", ratio(f.measured.records.Load(), batches), "messages in a batch, on average")
		r.addCount("bytes/batch", f.measured.bytes.Load()/batches, "bytes in a batch, after compression and without its head of 61 bytes, on average")
	}
	if f.options.transactions.on {
		f.measured.transactions.addTo(&r)
	}
	if f.options.shares() {
		r.addCount("redelivered", f.measured.redelivered.Load(), "messages that the share group delivered again")
	}
	return r
}

// ratio returns a/b with two decimals.
func ratio(a, b int64) string { return strconv.FormatFloat(float64(a)/float64(b), 'f', 2, 64) }

// transactionTimes count the transactions of all connections, and hold how long each took to
// end: from the call of EndTransaction until the coordinator's answer.
type transactionTimes struct {
	mu                           sync.Mutex
	committed, aborted, messages int64
	endings                      *histogram.Histogram // of those that were committed; nil before the first
}

func (t *transactionTimes) commit(messages int, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.endings == nil {
		t.endings = histogram.New()
	}
	t.committed++
	t.messages += int64(messages)
	t.endings.Record(took)
}

func (t *transactionTimes) abort() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.aborted++
}

func (t *transactionTimes) addTo(r *results) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.addCount("transactions", t.committed, "transactions that were committed, those of the warm-up too")
	r.addCount("aborted", t.aborted, "transactions that were aborted, or whose outcome is not known")
	if t.committed == 0 {
		return
	}
	r.add("messages/transaction", ratio(t.messages, t.committed), "messages in a transaction, on average")
	const doc = "how long the coordinator took to commit: from the call of EndTransaction to its answer"
	r.add("EndTxn-p50", t.endings.Quantile(50).Round(time.Microsecond).String(), doc)
	r.add("EndTxn-p99", t.endings.Quantile(99).Round(time.Microsecond).String(), doc)
	r.add("EndTxn-max", t.endings.Max().Round(time.Microsecond).String(), doc)
}
