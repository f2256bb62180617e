package load

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load/internal/notes"
)

const (
	unblock         = 5 * time.Second        // how long Request may take to return after its ctx is done
	teardownTimeout = 20 * time.Second       // for all connections together
	atOnce          = 64                     // connections that are torn down at once
	lastMoment      = 300 * time.Millisecond // what is left of any wait once Hooks.GiveUp is closed
)

// stopped is before any op is due.
const stopped = -1

// finish ends the senders, also one that is blocked in Request, closes the
// connections' books, and completes the ledgers.
func (r *run) finish() {
	r.ended = r.now()
	r.until.Store(stopped)
	for _, c := range r.conns {
		c.close()
	}
	for _, c := range r.conns {
		for c.recording.Load() > 0 { // a Recorder does not block
			runtime.Gosched()
		}
	}
	if r.hooks.Ended != nil {
		r.hooks.Ended(r.ended)
	}
	r.cancel()
	late := r.joinSenders()
	for i, c := range r.conns {
		c.tally(late[c], r.dues[i].sections)
	}
	for _, m := range r.members {
		m.close()
	}
}

// joinSenders waits for the senders and returns how many ops each connection's
// had not come to. A requester that does not return from Request although its ctx
// is done is torn down under it, which ends that. If it does not, its sender is
// left behind.
func (r *run) joinSenders() map[*conn]uint64 {
	left := !r.wait(r.walked, unblock)
	if left {
		r.teardown()
		left = !r.wait(r.walked, unblock)
	}
	if left {
		r.log.Keep("a sender is still in Request after Teardown, and was left behind")
	}
	late, all := r.lateBySchedule()
	if left || all > walkAtMost {
		return late
	}
	late = make(map[*conn]uint64)
	for _, s := range r.senders {
		for c, n := range s.merge.late(r.dueTill) {
			late[c] += n
		}
	}
	return late
}

// walkAtMost is how many late ops are walked at the end, for a count that does not
// come from the same formula as Ledger.Due. A rate that nothing can reach leaves
// thousands of millions.
const walkAtMost = 1 << 20

// lateBySchedule sets what was due on each connection, and counts what late counts
// without the senders' cursors, which a sender that was left behind may still use.
func (r *run) lateBySchedule() (late map[*conn]uint64, all uint64) {
	late = make(map[*conn]uint64)
	// An interruption sets dueTill a moment before the senders learn of it.
	for _, c := range r.conns {
		c.mu.Lock()
		if c.dues > 0 {
			r.dueTill = max(r.dueTill, c.lastDue)
		}
		c.mu.Unlock()
	}
	for i, c := range r.conns {
		c.mu.Lock()
		d := &r.dues[i]
		d.count(r.dueTill+1, &r.cfg)
		c.warmup.Due, c.window.Due = d.warmup, d.window
		late[c] = uint64(c.warmup.Due+c.window.Due) - c.dues
		all += late[c]
		c.mu.Unlock()
	}
	return late, all
}

// wait waits until done is closed, for as long as the limit, or for a last moment
// once the caller has given up. It tells whether done was closed.
func (r *run) wait(done <-chan struct{}, limit time.Duration) bool {
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	case <-r.hooks.GiveUp:
	}
	select {
	case <-done:
		return true
	case <-time.After(min(limit, lastMoment)):
		return false
	}
}

// teardown tears down every connection, once: later calls do nothing. It takes
// no longer than its time limit, whatever the requesters do; one that has not
// returned by then is left behind.
func (r *run) teardown() {
	ctx, cancel := context.WithTimeout(context.Background(), teardownTimeout)
	defer cancel()
	var all sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, p := range r.parties() {
		p.tearDown.Do(func() {
			all.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				if err := p.end(ctx); err != nil {
					p.log.Keep(fmt.Sprintf("%s: tearing down: %v", p.name, err))
				}
				p.torn.Store(true)
			})
		})
	}
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	if !r.wait(done, teardownTimeout+lastMoment) {
		r.reportLeftBehind()
	}
}

// reportLeftBehind adds an event if the Teardown of any connection has not returned.
func (r *run) reportLeftBehind() {
	n, first := 0, ""
	for _, p := range r.parties() {
		if !p.torn.Load() {
			if n++; n == 1 {
				first = p.name
			}
		}
	}
	if n > 0 {
		r.log.Keep(fmt.Sprintf("tearing down: %d connections have not returned, the first is %s; topics or queues may be left on the broker", n, first))
	}
}

// closing is how a connection or a consumer ends.
type closing struct {
	log      notes.Log
	tearDown sync.Once
	torn     atomic.Bool // Teardown has returned
}

// A party is what is torn down.
type party struct {
	*closing
	name string
	end  func(context.Context) error
}

// parties returns all connections, and the consumers of all groups.
func (r *run) parties() (all []party) {
	for _, c := range r.conns {
		all = append(all, party{&c.closing, fmt.Sprintf("connection %d", c.index), c.requester.Teardown})
	}
	for _, m := range r.members {
		all = append(all, party{&m.closing, m.String(), m.consumer.Teardown})
	}
	return all
}

// events returns what the connections and the engine noticed, oldest first.
func (r *run) events() []requester.Event {
	events := r.log.All()
	for _, p := range r.parties() {
		events = append(events, p.log.All()...)
	}
	slices.SortStableFunc(events, func(a, b requester.Event) int { return a.At.Compare(b.At) })
	return events
}

// left returns what the connections could not remove.
func left(f requester.Factory) []string {
	if s, ok := requester.As[requester.Sweeper](f); ok {
		return s.Left()
	}
	return nil
}
