package rabbitstream

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/amqp"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// A conn is one connection: a stream, with a producer and a consumer. With groups of consumers it is a
// producer, or has a consumer of each stream.
type conn struct {
	transport.Conn[*link]

	factory *Factory
	number  int
	sendsTo string // a stream; "": it only receives
	group   string // whose offsets it stores; "": none

	left   atomic.Bool // it passes on nothing more, and stores no offset
	taking sync.Mutex  // held while a message is passed on
	places []*place    // under taking
}

// A place is where the consumer of a stream is.
type place struct {
	stream   string
	next     int64 // offset after the last message
	storedAt time.Time
	stored   int64 // offset after the last message that the broker is to know of
	credits  credits
}

// When the offsets of a group are stored, as the client does by default: after so many messages, or with the first one
// after so long.
const (
	storeCount = 10_000
	storeEvery = 5 * time.Second
)

// newConn returns a connection that has no consumer, and whose producer sends to the first of the streams.
func newConn(f *Factory, number int, sink requester.Sink, streams ...*leftover.Shared) *conn {
	c := &conn{factory: f, number: number, sendsTo: streams[0].Name}
	c.Init(sink, f.explain, f.options.ReconnectWait)
	c.Make, c.Open, c.Shares = c.create, c.open, streams
	return c
}

// consume has the connection receive from all its streams.
func (c *conn) consume() {
	for _, s := range c.Shares {
		c.places = append(c.places, &place{stream: s.Name, storedAt: time.Now(), credits: credits{quarter: int16(c.factory.options.credits / 4)}})
	}
}

// Traits implements [requester.Requester]: a confirm is an acknowledgement.
func (c *conn) Traits() requester.Traits { return requester.Traits{Acknowledges: true} }

// open makes a link, which continues after the last message that came.
func (c *conn) open(ctx context.Context) (*link, error) {
	var sources []source
	c.taking.Lock()
	for _, p := range c.places {
		p.credits.used = 0
		sources = append(sources, source{
			stream: p.stream, group: c.group, resume: p.next == 0, from: stream.OffsetSpecification{}.Offset(p.next),
			take: func(from stream.ConsumerContext, m *amqp.Message) { c.take(p, from, m) },
		})
	}
	c.taking.Unlock()
	l, err := c.factory.connect(ctx, c.number, c.sendsTo, sources...)
	if err != nil {
		return nil, target.Because(ctx, err)
	}
	if l.producer != nil {
		go c.confirm(l)
	}
	return l, nil
}

// take passes on a delivery.
func (c *conn) take(p *place, from stream.ConsumerContext, m *amqp.Message) {
	c.taking.Lock()
	defer c.taking.Unlock()
	if c.left.Load() || !c.DeliverWith(transport.StampOf(m.ApplicationProperties), m.GetData()) {
		return
	}
	p.next = from.Consumer.GetOffset() + 1
	if c.group != "" && (p.next-p.stored >= storeCount || time.Since(p.storedAt) >= storeEvery) {
		p.stored, p.storedAt = p.next, time.Now()
		_ = from.Consumer.StoreCustomOffset(p.next - 1) // after an error the consumer is lost
	}
	if !c.factory.options.creditEach {
		p.credits.grant(from)
	}
}

// Teardown implements [requester.Requester]. When it returns, the last reply has returned.
func (c *conn) Teardown(ctx context.Context) error {
	c.leave()
	err := c.Conn.Teardown(ctx)
	c.taking.Lock()
	defer c.taking.Unlock()
	return err
}

// Depart implements [requester.Mortal].
func (c *conn) Depart(ctx context.Context) error {
	c.leave()
	return c.Conn.Depart(ctx)
}

// Kill implements [requester.Mortal].
func (c *conn) Kill() {
	c.left.Store(true)
	c.Conn.Kill()
	c.taking.Lock()
	defer c.taking.Unlock()
}

// leave passes on nothing more, and stores the offsets of a group.
func (c *conn) leave() {
	if c.group == "" || c.left.Swap(true) {
		return
	}
	c.taking.Lock()
	defer c.taking.Unlock()
	l, ok := c.Current()
	for _, p := range c.places {
		if ok && p.next > p.stored {
			_ = l.env.StoreOffset(c.group, p.stream, p.next-1)
		}
	}
}
