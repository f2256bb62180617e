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

// The store is given up when nothing was acknowledged for the timeout of the cell. Progress is looked at every
// lookEvery, and reported every reportEvery.
const (
	reportEvery = 500 * time.Millisecond
	lookEvery   = 10 * time.Millisecond
)

// A producer has so many messages of the backlog on their way, or bytes.
const (
	mostSlots     = 1024
	mostSlotBytes = 16 << 20
)

func (b *filler) slots() int { return max(min(mostSlots, mostSlotBytes/b.cfg.Size), 1) }

// ready returns the function for load.Hooks that calls prepare, and then next, which may be nil.
func ready(prepare func(context.Context) error, next func(context.Context) (time.Time, error)) func(context.Context) (time.Time, error) {
	return func(ctx context.Context) (start time.Time, err error) {
		if err := prepare(ctx); err != nil {
			return start, err
		}
		if next != nil {
			start, err = next(ctx)
		}
		return start, err
	}
}

// fill has all producers send until all messages are stored, there are enough of them, a message is refused,
// nothing moves, or ctx ends, which is no error.
func (b *filler) fill(ctx context.Context, enough func() bool) error {
	b.epoch = time.Now()
	defer func() { b.fillTook = time.Since(b.epoch) }()
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
		return n, n == b.messages || refused != nil || enough()
	})
	of := words.Count(b.messages)
	if b.until > 0 {
		of = "those that " + words.Size(int(b.until)) + " take"
	}
	switch {
	case refused != nil:
		return fmt.Errorf("%s: the store refused a message after %s of %s: %w", b.what, words.Count(moved), of, refused)
	case stalled != "":
		return fmt.Errorf("%s: %s of %s messages were acknowledged, %s: name a smaller %[1]s, or a larger --timeout", b.what, words.Count(moved), of, stalled)
	}
	return nil
}

// await waits until progress is over, and reports it. Stalled says why it gave up before; "" if ctx ended.
func (b *filler) await(ctx context.Context, progress func() (n int64, over bool)) (n int64, stalled string) {
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
		case !b.unbounded && now.Sub(b.epoch) >= plan.MostFill:
			return n, fmt.Sprintf("and no more within %v", plan.MostFill)
		case b.o.Filling != nil && now.Sub(reported) >= reportEvery:
			reported = now
			b.report(now.Sub(b.epoch))
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
	b := p.filler
	buffer := make([]byte, b.cfg.Size)
	for {
		if !p.filler.hold(ctx) {
			return
		}
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
		b.sent.Add(1)
	}
}

// report reports the progress.
func (b *filler) report(elapsed time.Duration) {
	n := b.acked.Load()
	f := Filling{Elapsed: elapsed, Stored: n, Messages: b.messages, Bytes: n * int64(b.cfg.Size), Until: b.until}
	if b.until > 0 {
		f.Messages = 0
	}
	b.o.Filling(f)
}

// fail notes that a message was not stored.
func (b *filler) fail(cause error) {
	select {
	case b.failed <- cause:
	default: // the first is enough
	}
}

// hold waits while the producers have to, and reports whether ctx has not ended before.
func (b *filler) hold(ctx context.Context) bool {
	for b.wait != nil && b.wait(b.next.Load()) {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(time.Millisecond):
		}
	}
	return true
}

// chill drops the page cache, if that is wanted.
func (b *filler) chill() {
	if b.o.Cold == nil {
		return
	}
	if err := b.o.Cold(); err != nil {
		b.cold = err.Error()
	}
}

// A producer also sends messages of the backlog. The lock keeps the engine from a call of Request that
// an interruption has left behind.
type producer struct {
	requester.Requester
	filler *filler
	conn   uint32
	slots  chan struct{} // one for each message that is not acknowledged

	mu  sync.Mutex
	ctx context.Context // of the first call, since all calls have one: that of the engine
}

// Request implements requester.Requester.
func (p *producer) Request(ctx context.Context, payload []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx == nil {
		p.ctx = ctx
	}
	return p.Requester.Request(ctx, payload)
}

// acked notes that a message is stored.
func (p *producer) acked(n int64) {
	if !p.filler.stored.set(n) {
		return
	}
	p.filler.acked.Add(1)
	<-p.slots
}
