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

// measured is what the clients of a factory made of the messages: the options say how large
// a batch may be, and for how long a transaction stays open, but not what comes of it.
type measured struct {
	batches, records, bytes atomic.Int64 // that the broker took
	redelivered             atomic.Int64 // to a share group

	transactions transactionTimes
}

// A batchCounter counts the batches of a client, from count on: those of the probes are none
// of the run's. franz-go calls it from a goroutine of its own, once a batch.
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
func (f *Factory) Measured() (list []requester.Setting) {
	add := func(name, value, doc string) {
		list = append(list, requester.Setting{Name: name, Value: value, Doc: doc})
	}
	batches := f.measured.batches.Load()
	add("batches", strconv.FormatInt(batches, 10), "batches that the broker took, those of the warm-up too")
	if batches > 0 {
		add("records/batch", ratio(f.measured.records.Load(), batches), "messages in a batch, on average")
		add("bytes/batch", strconv.FormatInt(f.measured.bytes.Load()/batches, 10), "bytes in a batch, after compression and without its head of 61 bytes, on average")
	}
	if f.options.transactions.on {
		list = append(list, f.measured.transactions.settings()...)
	}
	if f.options.shares() {
		add("redelivered", strconv.FormatInt(f.measured.redelivered.Load(), 10), "messages that the share group delivered again")
	}
	return list
}

// ratio returns a/b with two decimals.
func ratio(a, b int64) string { return strconv.FormatFloat(float64(a)/float64(b), 'f', 2, 64) }

// transactionTimes are what became of the transactions of all connections, and how long
// each took to end: from the call of EndTransaction until the coordinator's answer.
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

func (t *transactionTimes) settings() (list []requester.Setting) {
	t.mu.Lock()
	defer t.mu.Unlock()
	add := func(name, value, doc string) {
		list = append(list, requester.Setting{Name: name, Value: value, Doc: doc})
	}
	add("transactions", strconv.FormatInt(t.committed, 10), "transactions that were committed, those of the warm-up too")
	add("aborted", strconv.FormatInt(t.aborted, 10), "transactions that were aborted, or of which it is not known")
	if t.committed == 0 {
		return list
	}
	add("messages/transaction", ratio(t.messages, t.committed), "messages in a transaction, on average")
	const doc = "how long the coordinator took to commit: from the call of EndTransaction to its answer"
	add("EndTxn-p50", t.endings.Quantile(50).Round(time.Microsecond).String(), doc)
	add("EndTxn-p99", t.endings.Quantile(99).Round(time.Microsecond).String(), doc)
	add("EndTxn-max", t.endings.Max().Round(time.Microsecond).String(), doc)
	return list
}
