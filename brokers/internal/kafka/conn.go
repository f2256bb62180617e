package kafka

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/brokers/internal/kafka/dress"
	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A conn is one connection: a client and its topic. With a topology it is a producer, or a member of
// a group.
type conn struct {
	factory *Factory
	id      string // of its transactions
	topic   string // that it makes, and consumes; with a topology, that it produces to
	sendsTo string // that it produces to
	group   string // of which it is a member; "" for none
	sink    requester.Sink
	acks    bool         // a message that is produced is acknowledged
	unacked atomic.Int64 // bytes that franz-go holds
	closing atomic.Bool  // Teardown was called
	events  *hooks
	batches *batchCounter

	client     *kgo.Client // nil until Setup has made it
	partition  int32       // the next request's
	transactor *transactor // nil without transactions, and until Setup has made it

	creation cluster.Creation
	created  bool        // there may be a topic to delete; belongs to the creation, then to Teardown
	left     atomic.Bool // there may be a topic
	step     string      // of the probe; Setup's
	doubts   []string    // settings of the topic that contradict the level of durability or are unknown; the creation's
	grouped  atomic.Bool // there may be a share group
	uses     leftover.Uses

	cancel context.CancelFunc // cancels the client's work; nil until Setup has made it
	stop   context.CancelFunc // ends the goroutines that Setup started; nil until then
	served sync.WaitGroup
}

func newConn(f *Factory, number int, sink requester.Sink) *conn {
	c := &conn{factory: f, id: target.Name(f.Run, number), topic: f.topic(number), sendsTo: f.sendsTo(number), sink: sink, acks: f.options.acknowledges()}
	c.events = &hooks{ConnLog: transport.NewConnLog(c.sink.Event)}
	c.batches = &batchCounter{measured: &f.measured}
	return c
}

// Traits implements [requester.Requester]. With acks=1 the leader acknowledges a message, with
// acks=all all in-sync replicas. With acks=0 franz-go calls a message produced once it is
// written to the socket: that is no acknowledgement.
func (c *conn) Traits() requester.Traits { return requester.Traits{Acknowledges: c.acks} }

// maxUnacknowledged bounds the bytes of a connection that franz-go holds. The engine's own
// bound, 64 MiB in flight, is reached first, unless replies are given up.
const maxUnacknowledged = 128 << 20

var errTornDown = errors.New("kafka: the connection is torn down")

// Request implements [requester.Requester]. It hands a copy of payload to
// franz-go, whose goroutines write it.
func (c *conn) Request(ctx context.Context, payload []byte) error {
	switch held, err := c.unacked.Load(), ctx.Err(); {
	case c.client == nil:
		return errNotSetUp
	case c.closing.Load():
		return errTornDown
	case err != nil:
		return err
	case held > 0 && held+int64(len(payload)) > maxUnacknowledged:
		return c.factory.explain("sending a message", transport.ErrQueueFull)
	}
	if err := c.factory.checkFits(len(payload)); err != nil {
		return err
	}
	c.unacked.Add(int64(len(payload)))
	m := c.message(payload, c.nextPartition())
	if c.transactor != nil {
		return c.transactor.add(m)
	}
	m.produce(c.client)
	return nil
}

// failed reports a message that was not produced. franz-go's goroutine itself calls it, and may
// make the next request in it: Request never waits for that goroutine.
func (c *conn) failed(payload []byte, cause error) {
	if !c.closing.Load() {
		c.sink.Failed(payload, cause)
	}
}

// nextPartition returns the partitions in turn. Like Request, it is never called
// concurrently with itself.
func (c *conn) nextPartition() int32 {
	p := c.partition
	c.partition = (p + 1) % int32(c.factory.options.partitions)
	return p
}

// receive passes on replies until ctx is done. The events of a member begin with its first message: a
// rebalance before that is a part of setting up.
func (c *conn) receive(ctx context.Context) {
	shares, begun := c.factory.options.shares(), c.group == ""
	var buffer []byte
	deliver := func(record *kgo.Record) {
		if !dress.IsProbe(record) && !c.closing.Load() {
			if c.factory.dress.Keyed() && c.sink.From != nil {
				c.sink.From(c.factory.partition(record))
			}
			c.sink.Reply(c.factory.dress.Payload(&buffer, record))
			if !begun {
				begun = true
				c.events.Begin()
			}
		}
		if shares && record.DeliveryCount() > 1 {
			c.factory.measured.redelivered.Add(1)
		}
	}
	for ctx.Err() == nil {
		fetches := c.client.PollFetches(ctx)
		if ctx.Err() == nil {
			fetches.EachError(c.events.fetchError)
		}
		fetches.EachRecord(deliver)
	}
}

// A message is a request in flight, from Request until franz-go is done with it. It
// is reused, so the record, the copy of the payload and the callback cost no
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
	m.record = kgo.Record{Partition: partition, Value: m.payload, Context: context.Background()}
	c.factory.dress.Put(&m.record, m.payload)
	m.record.Topic = c.to(m.record.Key)
	return m
}

func (m *message) produce(client *kgo.Client) {
	client.Produce(context.Background(), &m.record, m.done)
}

// finish is called by franz-go, once, when it no longer needs the record.
func (m *message) finish(_ *kgo.Record, err error) {
	c := m.conn
	switch {
	case c.transactor != nil:
		c.transactor.produced(m.payload, err)
	case err == nil && c.acks:
		c.sink.Acked(m.payload)
	case err != nil:
		c.failed(m.payload, c.factory.explain("producing to topic "+c.sendsTo, err))
	}
	m.release()
}

// release gives back the message and its bytes.
func (m *message) release() {
	c, size := m.conn, len(m.payload)
	m.conn, m.record = nil, kgo.Record{}
	c.factory.messages.Put(m)
	c.unacked.Add(-int64(size))
}
