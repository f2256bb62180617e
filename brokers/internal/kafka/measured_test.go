package kafka

import (
	"strconv"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/twmb/franz-go/pkg/kgo"
)

// value returns what was measured under a name; "" if it was not.
func value(f requester.Measurer, name string) string {
	for _, s := range f.Measured() {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

func TestBatchesAreCountedFromTheEndOfTheSetup(t *testing.T) {
	f := open(t, "kafka://h", "")
	b := &batchCounter{measured: &f.measured}
	batch := func(records, bytes int) {
		b.OnProduceBatchWritten(kgo.BrokerMetadata{}, "", 0, kgo.ProduceBatchMetrics{NumRecords: records, CompressedBytes: bytes, UncompressedBytes: 9999})
	}
	batch(1, 1000) // a probe
	if value(f, "batches") != "0" || value(f, "records/batch") != "" {
		t.Errorf("before: %v", f.Measured())
	}
	b.count()
	batch(1, 1100)
	batch(2, 2000)
	batch(7, 6900)
	for name, want := range map[string]string{"batches": "3", "records/batch": "3.33", "bytes/batch": "3333"} {
		if got := value(f, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { batch(1, 1) }); n != 0 {
		t.Errorf("%v allocations a batch", n)
	}
}

func TestFakeBatchesAreMeasured(t *testing.T) {
	url, _ := fake(t)
	testBatchesAreMeasured(t, open(t, url, "linger=20ms&partitions=2"))
}

func TestBatchesAreMeasured(t *testing.T) {
	testBatchesAreMeasured(t, open(t, brokertest.URL(t, "KAFKA"), "linger=20ms&partitions=2"))
}

// testBatchesAreMeasured expects a linger: messages that are sent at once share batches.
func testBatchesAreMeasured(t *testing.T, f *Factory) {
	t.Helper()
	l := requestertest.Connect(t, f, 0)
	const messages, size = 200, 1000
	for seq := range uint64(messages) {
		l.Send(t, requestertest.Payload(0, seq, size))
	}
	for range messages {
		l.Next(t)
	}
	requestertest.Until(t, "all records counted", func() bool { return f.measured.records.Load() >= messages })
	each, err := strconv.ParseFloat(value(f, "records/batch"), 64)
	if err != nil || each < 2 {
		t.Errorf("measured %v, want several records in a batch", f.Measured())
	}
	const probes = 2 // their report may be late; they are small
	if got := f.measured.records.Load(); got > messages+probes {
		t.Errorf("%d records, want %d", got, messages)
	}
	bytes, _ := strconv.ParseFloat(value(f, "bytes/batch"), 64)
	if bytes < each*size*messages/(messages+probes) || bytes > each*(size+50) {
		t.Errorf("%v bytes in a batch of %v records of %d", bytes, each, size)
	}
}

func TestTransactionTimes(t *testing.T) {
	f := open(t, "kafka://h?acks=all&idempotent=true&transactions=each", "")
	if value(f, "transactions") != "0" || value(f, "EndTxn-max") != "" {
		t.Errorf("at first: %v", f.Measured())
	}
	times := &f.measured.transactions
	for i := range 100 {
		times.Commit(3, time.Duration(i+1)*time.Millisecond)
	}
	times.Abort()
	for name, want := range map[string]string{
		"transactions": "100", "aborted": "1", "messages/transaction": "3.00", "EndTxn-max": "100ms",
	} {
		if got := value(f, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]time.Duration{"EndTxn-p50": 50 * time.Millisecond, "EndTxn-p99": 99 * time.Millisecond} {
		if got, err := time.ParseDuration(value(f, name)); err != nil || got < want || got > want+want/500 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if got := value(open(t, "kafka://h", ""), "transactions"); got != "" {
		t.Errorf("without transactions: %q", got)
	}
}
