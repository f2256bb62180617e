package kafka

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

// probeKey marks the messages of Setup, so that they are not taken for replies, even
// if a retry writes them twice. Requests have no key.
const probeKey = "brokerbench-probe"

// A message is a request in flight, from Request until franz-go is done with it. It
// is reused, so the record, the copy of the payload and the promise cost no
// allocation.
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
	// Not the run's context: its end would close the connection under messages in
	// flight.
	m.record = kgo.Record{Topic: c.sendsTo, Partition: partition, Value: m.payload, Context: context.Background()}
	return m
}

// finish is called by franz-go, once, when it no longer needs the record.
func (m *message) finish(_ *kgo.Record, err error) {
	c := m.conn
	switch {
	case c.transactor != nil:
		c.transactor.produced(m.payload, err)
	case err == nil && c.acked != nil:
		c.acked(m.payload)
	case err != nil:
		c.failures.add(m.payload, c.factory.explain("producing to topic "+c.sendsTo, err))
	}
	m.release()
}

// release gives back the message and its bytes.
func (m *message) release() {
	c, size := m.conn, len(m.payload)
	m.conn, m.record = nil, kgo.Record{}
	c.factory.messages.Put(m)
	c.budget.give(size)
}
