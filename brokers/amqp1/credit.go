package amqp1

import (
	"context"
	"sync"
	"time"

	"github.com/Azure/go-amqp"
)

// A credit grants the broker deliveries, and can stop. go-amqp could grant them by itself, but
// then a link can only be detached, and what RabbitMQ has taken out of the queue and has not
// sent yet is lost.
type credit struct {
	of   *amqp.Receiver
	half uint32 // of what is granted at first

	mu      sync.Mutex
	used    uint32 // since more was granted
	stopped bool
}

// use counts a delivery, and grants as many as were used once that is half.
func (c *credit) use() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used++; c.used >= c.half && !c.stopped {
		_ = c.of.IssueCredit(c.used) // an error is that the link is lost
		c.used = 0
	}
}

// drainTimeout is how long a broker may take to say that it has sent all that it may send.
const drainTimeout = 5 * time.Second

// stop grants no more, and waits until the broker has sent what it may still send.
func (c *credit) stop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	c.mu.Lock()
	c.stopped = true
	c.mu.Unlock()
	_ = c.of.DrainCredit(ctx, nil)
}
