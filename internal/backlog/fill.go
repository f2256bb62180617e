package backlog

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// Limits of the time before the schedule. The store is also given up when nothing was acknowledged for the
// timeout of the cell.
const (
	leaveLimit  = 20 * time.Second
	leaveRest   = time.Second
	reportEvery = 500 * time.Millisecond
	lookEvery   = 10 * time.Millisecond
)

// A producer has so many messages of the backlog on their way, or bytes.
const (
	mostSlots     = 1024
	mostSlotBytes = 16 << 20
)

func (b *Backlog) slots() int { return max(min(mostSlots, mostSlotBytes/b.cfg.Size), 1) }

// Ready returns the function for load.Hooks that makes the backlog, and then calls next, which may be nil. An error says
// that the store does not take the backlog. When ctx ends it makes what there is of it the backlog.
func (b *Backlog) Ready(next func(context.Context) (time.Time, error)) func(context.Context) (time.Time, error) {
	return func(ctx context.Context) (start time.Time, err error) {
		if err := b.prepare(ctx); err != nil {
			return start, err
		}
		if next != nil {
			start, err = next(ctx)
		}
		return start, err
	}
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
	b.epoch = time.Now()
	err = b.fill(ctx)
	b.fillTook = time.Since(b.epoch)
	if b.interrupted = ctx.Err() != nil; err != nil || b.interrupted {
		return err
	}
	b.await(ctx, b.neighbours)
	for i := range b.groups {
		b.groups[i].behind = b.messages - b.groups[i].delivered.Load()
	}
	if b.o.Cold != nil {
		if err := b.o.Cold(); err != nil {
			b.cold = err.Error()
		}
	}
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

// fill has all producers send until the backlog is stored, a message is refused, nothing moves, or
// ctx ends, which is no error.
func (b *Backlog) fill(ctx context.Context) error {
	sending, end := context.WithCancel(ctx)
	var all sync.WaitGroup
	for _, p := range b.producers {
		all.Go(func() { p.fill(sending) })
	}
	defer func() { // a Request that hangs is ended when the engine ends its own
		end()
		done := make(chan struct{})
		go func() {
			all.Wait()
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(time.Second):
		}
	}()
	var refused error
	moved, stalled := b.await(ctx, func() (int64, bool) {
		select {
		case refused = <-b.failed:
		default:
		}
		n := b.acked.Load()
		return n, n == b.messages || refused != nil
	})
	switch {
	case refused != nil:
		return fmt.Errorf("backlog: the store refused a message after %s of %s: %w", words.Count(moved), words.Count(b.messages), refused)
	case stalled != "":
		return fmt.Errorf("backlog: %s of %s messages were acknowledged, %s: name a smaller backlog, or a larger --timeout", words.Count(moved), words.Count(b.messages), stalled)
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

// await waits until progress is over, and reports it. Stalled says why it gave up before; "" if ctx ended.
func (b *Backlog) await(ctx context.Context, progress func() (n int64, over bool)) (n int64, stalled string) {
	moved, reported, last := time.Now(), time.Now(), int64(-1)
	for {
		n, over := progress()
		now := time.Now()
		if n != last {
			moved, last = now, n
		}
		switch {
		case over:
			return n, ""
		case now.Sub(moved) >= b.settings.Timeout:
			return n, fmt.Sprintf("and then none for %v", b.settings.Timeout)
		case b.start.IsZero() && now.Sub(b.epoch) >= plan.MostFill:
			return n, fmt.Sprintf("and no more within %v", plan.MostFill)
		case b.o.Filling != nil && now.Sub(reported) >= reportEvery:
			reported = now
			b.o.Filling(Filling{Elapsed: now.Sub(b.epoch), Stored: b.acked.Load(), Messages: b.messages})
		}
		select {
		case <-ctx.Done():
			return n, ""
		case <-b.o.GiveUp:
			return n, ""
		case <-time.After(lookEvery):
		}
	}
}

// fill sends messages of the backlog until all are sent or ctx ends.
func (p *producer) fill(ctx context.Context) {
	b := p.backlog
	buffer := make([]byte, b.cfg.Size)
	for {
		select {
		case p.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		n := b.next.Add(1) - 1
		if n >= b.messages || ctx.Err() != nil {
			return
		}
		at := uint64(time.Since(b.epoch) / tick)
		payload := b.body.Fill(buffer, requester.Stamp{Run: b.id, Conn: p.conn, Seq: at<<32 | uint64(n)})
		if err := p.Request(b.producers[0].ctx, payload); err != nil {
			b.fail(err)
			return
		}
	}
}

// fail notes that a message was not stored.
func (b *Backlog) fail(cause error) {
	select {
	case b.failed <- cause:
	default: // the first is enough
	}
}
