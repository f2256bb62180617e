//go:build linux

package witness

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Requests of Kafka that carry messages, and the versions that are read.
const (
	kafkaProduce, produceFirst, produceLast = 0, 9, 13
	kafkaFetch, fetchFirst, fetchLast       = 1, 12, 18
	kafkaTopicIDs                           = 13 // the version of both from which topics have IDs in place of names
)

// A kafkaRequest is a request without a response.
type kafkaRequest struct {
	key, version int
	messages     [][]Message // of each partition
}

// kafka reads Produce and Fetch. A producer has all messages of a partition acknowledged or none.
func (t *talk) kafka() *protocol {
	open := make(map[int32]kafkaRequest)
	return &protocol{
		client: func(data []byte) (int, error) {
			d, n := kafkaUnit(data)
			if n == 0 {
				return 0, nil
			}
			request := kafkaRequest{key: int(d.int16()), version: int(d.int16())}
			correlation := d.int32()
			switch v := request.version; {
			case request.key == kafkaProduce && (v < produceFirst || v > produceLast), request.key == kafkaFetch && (v < fetchFirst || v > fetchLast):
				return 0, fmt.Errorf("a Kafka request: version %d of key %d is unknown", v, request.key)
			case request.key == kafkaProduce:
				t.kafkaProduced(&request, d)
			}
			if request.key == kafkaProduce || request.key == kafkaFetch {
				open[correlation] = request
			}
			return n, d.err
		},
		server: func(data []byte) (int, error) {
			d, n := kafkaUnit(data)
			if n == 0 {
				return 0, nil
			}
			correlation := d.int32()
			request, ok := open[correlation]
			delete(open, correlation)
			switch {
			case !ok:
				return n, nil
			case request.key == kafkaProduce:
				t.kafkaAcked(request, d)
			default:
				t.kafkaFetched(request, d)
			}
			return n, d.err
		},
	}
}

// kafkaUnit returns a request or response without its length.
func kafkaUnit(data []byte) (*kafkaReader, int) {
	if len(data) < 4 {
		return nil, 0
	}
	n := 4 + int(binary.BigEndian.Uint32(data))
	if len(data) < n {
		return nil, 0
	}
	return &kafkaReader{data: data[4:n]}, n
}

func (t *talk) kafkaProduced(request *kafkaRequest, d *kafkaReader) {
	d.take(int(d.int16())) // client
	d.tags()
	d.take(d.uvarint() - 1) // transaction
	d.take(2 + 4)           // acks, timeout
	d.topics(request.version, func() {
		d.take(4) // partition
		var messages []Message
		d.records(func(value []byte) {
			if m, ok := t.message(value); ok {
				messages = append(messages, m)
				t.noteMessage(Published, m)
			}
		})
		request.messages = append(request.messages, messages)
	})
}

func (t *talk) kafkaAcked(request kafkaRequest, d *kafkaReader) {
	d.tags()
	partition := 0
	d.topics(request.version, func() {
		d.take(4) // partition
		if code := d.int16(); code == 0 && partition < len(request.messages) {
			for _, m := range request.messages[partition] {
				t.noteMessage(Acked, m)
			}
		}
		partition++
		d.take(3 * 8) // offset, time, start of the log
		for range d.uvarint() - 1 {
			d.take(4)
			d.take(d.uvarint() - 1)
			d.tags()
		}
		d.take(d.uvarint() - 1) // error
	})
}

func (t *talk) kafkaFetched(request kafkaRequest, d *kafkaReader) {
	d.tags()
	d.take(4 + 2 + 4) // throttle, error, session
	d.topics(request.version, func() {
		d.take(4 + 2 + 3*8) // partition, error, three offsets
		for range d.uvarint() - 1 {
			d.take(2 * 8) // an aborted transaction
			d.tags()
		}
		d.take(4) // replica
		d.records(func(value []byte) { t.note(Delivered, value) })
	})
}

// A kafkaReader reads fields from the head of data. After an error all are zero.
type kafkaReader struct {
	data []byte
	err  error
}

var errShort = errors.New("a Kafka field that goes beyond its end")

// take takes n bytes; none if n is not positive, as for null.
func (d *kafkaReader) take(n int) []byte {
	if n > len(d.data) {
		d.data, d.err = nil, errShort
	}
	if n <= 0 || d.err != nil {
		return nil
	}
	taken := d.data[:n]
	d.data = d.data[n:]
	return taken
}

func (d *kafkaReader) int16() int16 {
	var b [2]byte
	copy(b[:], d.take(2))
	return int16(binary.BigEndian.Uint16(b[:]))
}

func (d *kafkaReader) int32() int32 {
	var b [4]byte
	copy(b[:], d.take(4))
	return int32(binary.BigEndian.Uint32(b[:]))
}

// uvarint reads an unsigned number; a length has one added, and 0 is null.
func (d *kafkaReader) uvarint() int {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.data, d.err = nil, errShort
		return 0
	}
	d.take(n)
	return int(v)
}

// varint reads a signed number of a record.
func (d *kafkaReader) varint() int {
	v := d.uvarint()
	return int(uint(v)>>1) ^ -(v & 1)
}

// tags skips tagged fields.
func (d *kafkaReader) tags() {
	for range d.uvarint() {
		d.uvarint()
		d.take(d.uvarint())
	}
}

// topics calls partition for each partition of each topic.
func (d *kafkaReader) topics(version int, partition func()) {
	for range d.uvarint() - 1 {
		if version < kafkaTopicIDs {
			d.take(d.uvarint() - 1)
		} else {
			d.take(16)
		}
		for range d.uvarint() - 1 {
			partition()
			d.tags()
		}
		d.tags()
		if d.err != nil {
			return
		}
	}
}

// records calls message for the value of each record. The last batch of a response may be cut short.
func (d *kafkaReader) records(message func(value []byte)) {
	const beforeLength, head = 12, 61
	batches := d.take(d.uvarint() - 1)
	for len(batches) >= head {
		length := beforeLength + int(binary.BigEndian.Uint32(batches[8:]))
		if length > len(batches) {
			return
		}
		b := kafkaReader{data: batches[head:length]}
		if binary.BigEndian.Uint16(batches[21:])&7 != 0 {
			d.err = errors.New("a compressed batch of Kafka")
			return
		}
		for range binary.BigEndian.Uint32(batches[57:]) {
			r := kafkaReader{data: b.take(b.varint())}
			r.take(1)
			r.varint()
			r.varint()
			r.take(r.varint()) // key
			message(r.take(r.varint()))
		}
		if d.err = b.err; d.err != nil {
			return
		}
		batches = batches[length:]
	}
}
