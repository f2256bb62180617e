package amqp1

import (
	"context"
	"sync"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
)

// deliver passes on replies until the link is lost or receiving ends, which ends before ctx.
func (l *link) deliver(ctx, receiving context.Context) {
	defer close(l.delivered)
	for {
		m, err := l.receiver.Receive(receiving, nil)
		if err != nil {
			l.Lose(plain(err))
			return
		}
		if !l.conn.DeliverWith(transport.StampOf(m.ApplicationProperties), m.GetData()) {
			return
		}
		if l.conn.factory.options.accept {
			_ = l.receiver.AcceptMessage(ctx, m) // after an error the next Receive returns the reason
		}
		l.granting.use()
	}
}

// A credit grants the broker deliveries, and can stop. go-amqp could do the former, but then a
// link can only be detached, and messages are lost that RabbitMQ has taken out of the queue and
// not sent yet.
type credit struct {
	of   *amqp.Receiver
	half uint32 // of the first grant

	mu      sync.Mutex
	used    uint32 // since more was granted
	stopped bool
}

// use counts a delivery, and grants as many as were used once that is half.
func (c *credit) use() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used++; c.used >= c.half && !c.stopped {
		_ = c.of.IssueCredit(c.used) // after an error the link is lost
		c.used = 0
	}
}

// drainTimeout is how long a broker may take to use up or return its credit.
const drainTimeout = 5 * time.Second

// stop grants no more, and waits until the broker has sent the deliveries that it may still send.
func (c *credit) stop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	c.mu.Lock()
	c.stopped = true
	c.mu.Unlock()
	_ = c.of.DrainCredit(ctx, nil)
}
