package kafka

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/outage"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A conn is one connection: a client and a topic of its own.
type conn struct {
	requester.EventLog

	factory  *Factory
	topic    string // that it makes, and consumes
	sendsTo  string // that it produces to
	reply    requester.Reply
	acked    func(payload []byte) // nil if nobody listens
	failures *failures
	budget   *budget
	events   *hooks
	batches  *batchCounter

	client     *kgo.Client // nil until Setup has made it
	partition  int32       // the next request's
	transactor *transactor // nil without transactions, and until Setup has made it

	creating chan struct{}      // closed when the topic's creation is over; nil before
	giveUp   context.CancelFunc // ends the creation
	created  bool               // there may be a topic to delete; belongs to the creation, then to Teardown
	left     atomic.Bool        // there may be a topic
	doubts   []string           // what is not as the level of durability needs it, or not known; the creation's
	grouped  atomic.Bool        // there may be a share group

	cancel context.CancelFunc // cancels the client's work; nil until Setup has made it
	stop   context.CancelFunc // ends the goroutines that Setup started; nil until then
	served sync.WaitGroup
}

var (
	_ requester.FailureNotifier = (*conn)(nil)
	_ requester.Witness         = (*conn)(nil)
	_ requester.Leaver          = (*conn)(nil)
)

func newConn(f *Factory, number int, reply requester.Reply) *conn {
	c := &conn{factory: f, topic: f.topic(number), sendsTo: f.sendsTo(number), reply: reply, failures: newFailures(), budget: newBudget(maxUnacknowledged)}
	c.events = &hooks{Log: outage.New(&c.EventLog)}
	c.batches = &batchCounter{measured: &f.measured}
	return c
}

// NotifyFailure implements [requester.FailureNotifier].
func (c *conn) NotifyFailure(fail func(payload []byte, cause error)) { c.failures.notify = fail }

// Request implements [requester.Requester]. It hands a copy of payload to
// franz-go, whose goroutines write it.
func (c *conn) Request(ctx context.Context, payload []byte) error {
	if c.client == nil {
		return errNotSetUp
	}
	if err := c.factory.checkFits(len(payload)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.budget.take(ctx, len(payload)); err != nil {
		return err
	}
	m := c.message(payload, c.nextPartition())
	if c.transactor != nil {
		return c.transactor.add(m)
	}
	c.client.Produce(context.Background(), &m.record, m.done)
	return nil
}

// nextPartition returns the partitions in turn. Like Request, it is never called
// concurrently with itself.
func (c *conn) nextPartition() int32 {
	p := c.partition
	if c.partition++; int(c.partition) == c.factory.options.partitions {
		c.partition = 0
	}
	return p
}

// acknowledge passes on that messages were acknowledged of which only the stamp is left.
func (c *conn) acknowledge(stamps [][requester.StampSize]byte) {
	if c.acked == nil {
		return
	}
	for i := range stamps {
		c.acked(stamps[i][:])
	}
}

// receive passes on replies until ctx is done.
func (c *conn) receive(ctx context.Context) {
	shares := c.factory.options.shares()
	deliver := func(record *kgo.Record) {
		if record.Key == nil && ctx.Err() == nil {
			c.reply(record.Value)
		}
		if shares && record.DeliveryCount() > 1 {
			c.factory.measured.redelivered.Add(1)
		}
	}
	for ctx.Err() == nil {
		fetches := c.client.PollFetches(ctx)
		if ctx.Err() != nil {
			return
		}
		fetches.EachError(c.events.fetchError)
		fetches.EachRecord(deliver)
	}
}
