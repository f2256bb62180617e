package backlog

import (
	"context"
	"fmt"
	"time"
)

// Limits of the time before the store is filled.
const (
	leaveLimit = 20 * time.Second
	leaveRest  = time.Second
)

// Ready returns the function for load.Hooks that makes the backlog, and then calls next, which may be nil. An error says
// that the store does not take the backlog. When ctx ends it makes what there is of it the backlog.
func (b *Backlog) Ready(next func(context.Context) (time.Time, error)) func(context.Context) (time.Time, error) {
	return ready(b.prepare, next)
}

func (b *Backlog) prepare(ctx context.Context) error {
	err := b.leave(ctx)
	if b.interrupted = ctx.Err() != nil; b.interrupted {
		return nil
	}
	if err != nil {
		return err
	}
	select { // the target learns that they have gone: what it sends them now would come again much later
	case <-ctx.Done():
	case <-time.After(leaveRest):
	}
	err = b.fill(ctx, func() bool { return false })
	if b.interrupted = ctx.Err() != nil; err != nil || b.interrupted {
		return err
	}
	b.await(ctx, b.neighbours)
	for i := range b.groups {
		b.groups[i].behind = b.messages - b.groups[i].delivered.Load()
	}
	b.chill()
	return nil
}

// leave tears down the members of group 0.
func (b *Backlog) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaveLimit)
	defer cancel()
	for _, m := range b.lagging {
		if err := m.Consumer.Teardown(ctx); err != nil {
			return fmt.Errorf("backlog: member %d of group 0 does not leave: %w", m.at.Number, err)
		}
		m.away = true
	}
	return nil
}

// neighbours returns how many messages of the backlog the other groups have, and whether they have all.
func (b *Backlog) neighbours() (n int64, all bool) {
	for i := range b.groups[1:] {
		n += b.groups[1+i].delivered.Load()
	}
	return n, n == b.messages*int64(len(b.groups)-1)
}
