package amqp1

import (
	"context"

	"github.com/Azure/go-amqp"
)

// deliver passes on replies until the link is lost or receiving ends, which ends before ctx.
func (c *conn) deliver(ctx, receiving context.Context, l *link) {
	defer close(l.delivered)
	for {
		m, err := l.receiver.Receive(receiving, nil)
		if err != nil {
			l.lose(err)
			return
		}
		if c.ending.Load() {
			return
		}
		c.reply(m.GetData())
		c.factory.options.taken(ctx, l, m)
	}
}

// taken accepts a delivery, if the broker waits for that, and grants another. It ignores the
// error: deliver gets the reason with the next one.
func (o *options) taken(ctx context.Context, l *link, m *amqp.Message) {
	defer l.granting.use()
	if o.accept {
		_ = l.receiver.AcceptMessage(ctx, m)
	}
}
