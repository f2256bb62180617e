package kafka

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

// probeKey marks the messages of Setup, which are no replies, however often a
// retry writes them. Requests have no key.
const probeKey = "brokerbench-probe"

// A message is a request on its way, from Request until franz-go is done with
// it. It is used again: the record, the copy of the payload and the promise
// cost no allocation then.
type message struct {
	record  kgo.Record
	payload []byte
	conn    *conn
	done    func(*kgo.Record, error) // m.finish, bound once
}

// message returns one that holds a copy of payload for the partition.
func (c *conn) message(payload []byte, partition int32) *message {
	m, ok := c.factory.messages.Get().(*message)
	if !ok {
		m = new(message)
		m.done = m.finish
	}
	m.conn = c
	m.payload = append(m.payload[:0], payload...)
	// The background context keeps the run's out of the record: its end would
	// cut the connection under what is on the way.
	m.record = kgo.Record{Topic: c.topic, Partition: partition, Value: m.payload, Context: context.Background()}
	return m
}

// finish is called by franz-go, once, when it needs the record no more.
func (m *message) finish(_ *kgo.Record, err error) {
	c, size := m.conn, len(m.payload)
	if err != nil {
		c.failures.add(m.payload, c.factory.explain("producing to topic "+c.topic, err))
	}
	m.conn, m.record = nil, kgo.Record{}
	c.factory.messages.Put(m)
	c.budget.give(size)
}
