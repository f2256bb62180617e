package dress_test

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/kafka/dress"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kgo"
)

// The broker gets the content alone, the stamp as a header, and the key.
func TestPut(t *testing.T) {
	d := dress.Dress{Keys: requester.Keys{Names: []string{"a", "b"}, Of: func(conn uint32, seq uint64) int { return int(conn) - int(seq) + 2 }}}
	d.SetHeaders(requester.Headers{Stamp: true, Fixed: brokertest.Fixed()})
	payload := brokertest.Payload() // connection 2, message 3
	r := kgo.Record{Value: payload}
	d.Put(&r, payload)
	size := 0
	brokertest.WantMessage(t, r.Value, func(name string) string {
		for _, h := range r.Headers {
			if h.Key == name {
				size += len(h.Key) + len(h.Value)
				return string(h.Value)
			}
		}
		return ""
	})
	if string(r.Key) != "b" || dress.IsProbe(&r) || size > d.Beside || d.Beside > size+100 {
		t.Errorf("key %q, %d B beside the content, of at most %d", r.Key, size, d.Beside)
	}
	var buffer []byte
	if got := d.Payload(&buffer, &r); string(got) != string(payload) {
		t.Errorf("payload %q", got)
	}
	r.Headers = nil
	if got := d.Payload(&buffer, &r); string(got) != string(r.Value) {
		t.Errorf("without headers: payload %q", got)
	}
}

// franz-go's default partitioner puts the probe of each partition into it.
func TestProbesReachEachPartition(t *testing.T) {
	d := dress.Dress{Keys: requester.Keys{Of: func(uint32, uint64) int { return 0 }}}
	p, ok := dress.Partitioner().ForTopic("t").(kgo.TopicBackupPartitioner)
	if !ok {
		t.Fatal("the default partitioner is another kind")
	}
	for partition := range int32(100) {
		r := kgo.Record{Key: d.ProbeKey(partition, 100)}
		if got := p.PartitionByBackup(&r, 100, nil); int32(got) != partition || !dress.IsProbe(&r) {
			t.Errorf("the probe of partition %d goes to %d", partition, got)
		}
	}
}
