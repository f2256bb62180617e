package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

// A streamConn is a connection that adds messages to a stream of its own, which
// answers each, and reads them from it.
type streamConn struct {
	*conn
	acked func(payload []byte)
	from  []byte      // where the consumer reads on
	made  atomic.Bool // the stream may be there

	// Of the goroutine that reads the replies to XADD:
	oldest  stamp   // of the message without a reply
	pending []stamp // of messages that are added and wait for WAIT
}

var (
	_ requester.Acknowledger = (*streamConn)(nil)
	_ requester.Leaver       = (*streamConn)(nil)
)

// The words of an entry. The consumer group has one consumer.
const (
	word  = "m" // the name of its one field
	group = "brokerbench"
)

// errExists is why a stream is not touched: nobody knows who uses it.
var errExists = errors.New("a key of that name is there already")

func newStreamConn(c *conn) *streamConn {
	s := &streamConn{conn: c, acked: func([]byte) {}}
	words := append([]string{"XADD", c.channel, "NOMKSTREAM"}, c.factory.options.trim()...)
	c.head = append(command(1, append(words, "*", word)...), '$')
	c.wait = c.factory.options.waitCommand()
	c.answers = s.take
	c.renew = func(client *redis.Conn) error { return s.addProbe(s.alive, client) }
	return s
}

// NotifyAck implements [requester.Acknowledger].
func (c *streamConn) NotifyAck(ack func([]byte)) { c.acked = ack }

// Setup implements [requester.Requester]: it makes the stream with a probe in it, reads
// from it, and waits for the probe.
func (c *streamConn) Setup(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return c.factory.explain("connecting", err)
	}
	defer context.AfterFunc(ctx, func() { c.up.close(); c.down.close() })()
	p, err := c.connectPublisher(ctx, func(client *redis.Conn) error { return c.create(ctx, client) })
	if err != nil {
		return c.factory.explain("creating stream "+c.channel, target.Because(ctx, err))
	}
	h, err := c.factory.hold(ctx, c.down, func(client *redis.Conn) error { return c.joinGroup(ctx, client) })
	if err == nil {
		c.served.Go(func() { c.consume(h) })
		err = c.awaitProbe(ctx)
	}
	if err != nil {
		p.close()
		return c.factory.explain("reading from stream "+c.channel, target.Because(ctx, err))
	}
	c.begin(p)
	return nil
}

// create makes the stream, and proves that messages can be added as they will be.
func (c *streamConn) create(ctx context.Context, client *redis.Conn) error {
	c.limits = limits{bulk: readLimits(ctx, client).bulk}
	if n, err := client.Exists(ctx, c.channel).Result(); err != nil || n > 0 {
		return cmp.Or(err, errExists)
	}
	c.made.Store(true)
	if err := c.addProbe(ctx, client); err != nil {
		var no redis.Error
		c.made.Store(!errors.As(err, &no)) // who refuses makes none
		return err
	}
	if err := client.XAdd(ctx, &redis.XAddArgs{Stream: c.channel, NoMkStream: true, Values: []string{word, probe}}).Err(); err != nil {
		return err
	}
	return c.tryWait(ctx, client)
}

// addProbe adds a probe, and so makes the stream if there is none: a server that keeps
// nothing has lost it when it is started again.
func (c *streamConn) addProbe(ctx context.Context, client *redis.Conn) error {
	return client.XAdd(ctx, &redis.XAddArgs{Stream: c.channel, Values: []string{word, probe}}).Err()
}

// tryWait proves that messages can wait as they will have to.
func (c *streamConn) tryWait(ctx context.Context, client *redis.Conn) error {
	o := &c.factory.options
	var counts []int64
	var err error
	switch {
	case o.waitFsync:
		counts, err = client.WaitAOF(ctx, 1, o.waitReplicas, o.waitTimeout).Result()
	case o.waitReplicas > 0:
		counts = make([]int64, 1)
		counts[0], err = client.Wait(ctx, o.waitReplicas, o.waitTimeout).Result()
	default:
		return nil
	}
	if err != nil {
		return err
	}
	return o.enough(counts)
}

// take reads the replies to XADD, and to what messages wait for, until the connection
// ends, and returns why it ended.
func (c *streamConn) take(p *publisher) error {
	r := newReplies(p.socket, ackBuffer)
	c.pending = c.pending[:0]
	var counts []int64
	for answered := uint64(0); ; {
		var err error
		if p.waits.next(answered) {
			counts, err = r.counts(counts)
			err = c.settleWait(p, counts, err)
		} else {
			answered++
			err = c.settleAdd(p, r.added())
		}
		if err != nil {
			return err
		}
	}
}

// ackBuffer is the size of the buffer of replies to XADD, each of some 25 bytes.
const ackBuffer = 4 << 10

// settleAdd takes the reply to the oldest message without one.
func (c *streamConn) settleAdd(p *publisher, err error) error {
	if ended(err) {
		return err
	}
	var ok bool
	c.oldest, ok = p.unanswered.pop()
	switch {
	case !ok:
		return fmt.Errorf("%w to nothing", errReply)
	case err != nil:
		c.unserved(c.oldest[:], err)
	case p.waits != nil:
		c.pending = append(c.pending, c.oldest)
	default:
		c.acknowledge(c.oldest[:])
	}
	return nil
}

// settleWait takes the reply to WAIT or WAITAOF, which is for all messages that were
// added until then.
func (c *streamConn) settleWait(p *publisher, counts []int64, err error) error {
	if ended(err) {
		return err
	}
	if err == nil {
		err = c.factory.options.enough(counts)
	}
	for i := range c.pending {
		if s := c.pending[i][:]; err != nil {
			c.unserved(s, err)
		} else {
			c.acknowledge(s)
		}
	}
	c.pending = c.pending[:0]
	return p.waits.again(p)
}

// ended reports whether an error is that of a connection which has ended, or must.
func ended(err error) bool {
	if err == nil || errors.Is(err, errGone) {
		return false
	}
	var no refused
	return !errors.As(err, &no)
}

func (c *streamConn) acknowledge(stamp []byte) {
	if !c.closing.Load() {
		c.acked(stamp)
	}
}

// Teardown implements [requester.Requester]: it closes both sockets, waits for the last
// reply, and removes the stream over a connection of its own.
func (c *streamConn) Teardown(ctx context.Context) error {
	c.hangUp()
	if !c.made.Load() {
		return nil
	}
	if err := c.awaitEnd(ctx); err != nil {
		return err
	}
	if err := c.factory.remove(ctx, c.channel); err != nil {
		return err
	}
	c.made.Store(false)
	return nil
}

// Left implements [requester.Leaver].
func (c *streamConn) Left() []string {
	if c.made.Load() {
		return []string{"stream " + c.channel}
	}
	return nil
}
