package amqp1

import (
	"context"
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/rabbitmq"
	"github.com/brokerbench/brokerbench/requester"
)

var _ requester.Doubter = (*Factory)(nil)

var errNoAudit = errors.New("nothing is acknowledged, or the queue goes with its connection: an audit takes confirm=true and durable=true")

// Takes implements [requester.Taker].
func (f *Factory) Takes() bool { return f.options.confirm && f.options.queue.Durable }

// Audit implements [requester.Auditor]: when nothing is delivered any more, it drains the
// queues over AMQP 0-9-1, which acknowledges many messages at once.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	if !f.Takes() {
		return fmt.Errorf("%w: %w", errNoAudit, requester.ErrKeepsNothing)
	}
	if err := f.conns.Each(func(c *conn) error { return c.Rest(ctx) }); err != nil {
		return f.explain("ending what is consumed", err)
	}
	return f.queues.Drain(ctx, f.audited(), kept)
}

// audited returns the queues that an audit reads.
func (f *Factory) audited() (queues []string) {
	for _, c := range f.conns.All() {
		queues = append(queues, f.queue(c.number))
	}
	return queues
}

// Doubt implements [requester.Doubter]: over AMQP 0-9-1, too.
func (f *Factory) Doubt(ctx context.Context) error {
	if err := f.queues.Held(ctx, f.audited()); err != nil || !f.broken.Load() {
		return err
	}
	return f.explain("looking for what is missing", rabbitmq.ErrForgotten)
}
