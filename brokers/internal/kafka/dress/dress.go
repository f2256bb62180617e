// Package dress gives records their keys and headers.
package dress

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A Dress is what records have besides payloads. The zero value is nothing. It does not change after it is set.
type Dress struct {
	Keys   requester.Keys
	Beside int // by how many bytes headers make a payload longer, at most

	stamp bool
	fixed []kgo.RecordHeader
}

// SetHeaders sets the headers.
func (d *Dress) SetHeaders(h requester.Headers) {
	d.stamp, d.fixed, d.Beside = h.Stamp, nil, h.Overhead(2*binary.MaxVarintLen32)
	for _, one := range h.Fixed {
		d.fixed = append(d.fixed, kgo.RecordHeader{Key: one.Name, Value: []byte(one.Value)})
	}
	d.fixed = slices.Clip(d.fixed) // Put appends to it
}

// Keyed reports whether messages have keys.
func (d *Dress) Keyed() bool { return d.Keys.Of != nil }

// Put gives the record of a payload its key and headers, and takes the stamp from its value if that is a header.
func (d *Dress) Put(r *kgo.Record, payload []byte) {
	if key, ok := d.Keys.Name(payload); ok {
		r.Key = []byte(key)
	}
	r.Headers = d.fixed
	if d.stamp {
		stamp, value := requester.Headers{Stamp: true}.Split(payload)
		r.Value, r.Headers = value, append(d.fixed, kgo.RecordHeader{Key: requester.StampHeader, Value: []byte(stamp)})
	}
}

// Payload returns the payload of a record, in buffer if its stamp is a header.
func (d *Dress) Payload(buffer *[]byte, r *kgo.Record) []byte {
	if !d.stamp {
		return r.Value
	}
	for _, h := range r.Headers {
		if h.Key == requester.StampHeader {
			*buffer = requester.Join(*buffer, string(h.Value), r.Value)
			return *buffer
		}
	}
	return r.Value
}

// Partitioner returns franz-go's default, as in users' programs: the partition of a key by murmur2, and for
// messages without one another after every 64 KiB.
func Partitioner() kgo.Partitioner { return kgo.UniformBytesPartitioner(64<<10, true, true, nil) }

// probeKey begins the keys of probes, so that they are not taken for replies, even if a retry writes
// them twice.
var probeKey = []byte("brokerbench-probe")

// IsProbe reports whether a record is a probe.
func IsProbe(r *kgo.Record) bool { return r.Key != nil && bytes.HasPrefix(r.Key, probeKey) }

// ProbeKey returns the key of a probe to one of some partitions: with keys one by which the partitioner
// chooses it.
func (d *Dress) ProbeKey(partition int32, partitions int) []byte {
	if !d.Keyed() {
		return probeKey
	}
	same := kgo.StickyKeyPartitioner(nil).ForTopic("") // it hashes keys as the default does
	for i := 0; ; i++ {
		key := fmt.Appendf(nil, "%s-%d", probeKey, i)
		if same.Partition(&kgo.Record{Key: key}, partitions) == int(partition) {
			return key
		}
	}
}
