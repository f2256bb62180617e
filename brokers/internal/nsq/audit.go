package nsq

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// auditChannel is the channel of a topic that only the audit consumes.
const auditChannel = "audit"

const (
	auditAhead = 1000                   // messages of an audit that may be on their way
	auditEvery = 100 * time.Millisecond // how often nsqd is asked whether the channel is empty
)

var errNoAudit = errors.New("nsqd keeps messages for channels: an audit takes audit-channel=true")

// Audit implements [requester.Auditor]: it reads the second channel of each topic until nsqd says that
// it is empty. nsqd keeps no order, so that no message marks the end.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	if !f.options.auditChannel {
		return fmt.Errorf("%w: %w", errNoAudit, requester.ErrKeepsNothing)
	}
	for _, t := range f.topics.All() {
		if !t.There() {
			continue
		}
		if err := f.read(ctx, t, kept); err != nil {
			return f.Explain("reading channel audit of topic "+t.Name, target.Because(ctx, err))
		}
	}
	return nil
}

// read takes all messages out of the channel of a topic.
func (f *Factory) read(ctx context.Context, t *leftover.Shared, kept func([]byte)) error {
	if _, err := f.holds(ctx, t); err != nil {
		return err
	}
	c := f.newConn(requester.Replies(func(payload []byte) { kept(payload) }))
	c.OneWay, c.ahead, c.from = true, auditAhead, []source{{t.Name, auditChannel}}
	l, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer l.Close(nil)
	for empty := 0; empty < 2; { // a message may be between topic and channel once
		select {
		case <-time.After(auditEvery):
		case err := <-l.Lost():
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
		n, err := f.holds(ctx, t)
		if err != nil {
			return err
		}
		if empty++; n > 0 {
			empty = 0
		}
	}
	return nil
}

// holds returns the number of messages of a topic that the audit has not read.
func (f *Factory) holds(ctx context.Context, t *leftover.Shared) (int64, error) {
	topics, err := f.stats(ctx, t.Name)
	if err != nil {
		return 0, err
	}
	for _, stats := range topics {
		if n, ok := stats.holds(auditChannel); ok {
			return n, nil
		}
	}
	return 0, requester.ErrStoreGone
}
