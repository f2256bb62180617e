package measure

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A store may be read for auditLimit and twice the window, and auditFarewell is how long
// the auditor may take to return once it is told to.
const (
	auditLimit    = 10 * time.Minute
	auditFarewell = 5 * time.Second
)

// An audit compares what was acknowledged with what a target has kept.
type audit struct {
	auditor   requester.Auditor
	cell      plan.Cell
	redact    func(string) string
	auditing  func(Auditing)  // may be nil
	ctx       <-chan struct{} // Done of the run's context
	giveUp    <-chan struct{}
	promised  *promised // of what was acknowledged
	delivered *promised // of what has left the store for good; nil if nothing does
	acked     int64     // how many that are, once it is over
	limit     time.Duration
	result    *results.Audit
	lost      *promised // of what was acknowledged, what is not there; nil until the store was read to its end
}

// newAudit returns nil if nobody can audit, or nobody wants to.
func newAudit(ctx context.Context, f requester.Factory, cell plan.Cell, o Options) *audit {
	auditor, ok := f.(requester.Auditor)
	if !ok || !cell.Settings.Audit || o.Echo != nil { // what an echo takes out of the store, and puts in, is not ours
		return nil
	}
	connections := max(cell.Shape.Connections, 1)
	a := &audit{
		auditor: auditor, cell: cell, redact: o.Redact, auditing: o.Auditing, ctx: ctx.Done(), giveUp: o.GiveUp,
		promised: newPromised(connections), limit: auditLimit + 2*cell.Settings.Duration,
	}
	if taker, ok := f.(requester.Taker); ok && taker.Takes() {
		a.delivered = newPromised(connections)
	}
	return a
}

// marks returns where acknowledgements are marked; nil without an audit.
func (a *audit) marks() *promised {
	if a == nil {
		return nil
	}
	return a.promised
}

// delivery returns where deliveries are marked; nil if nobody needs to know of them.
func (a *audit) delivery() func(conn int, seq uint64) {
	if a == nil || a.delivered == nil {
		return nil
	}
	return a.delivered.mark
}

// read reads the store, when the run is over and nothing is torn down.
func (a *audit) read(mine func([]byte) (int, uint64, bool)) {
	if a == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	begun := time.Now()
	kept := newInStore(a.promised, a.delivered)
	a.acked = a.promised.count()
	done := make(chan error, 1)
	go func() { done <- a.search(ctx, kept, func(payload []byte) { kept.add(mine, payload) }) }()
	left, err := a.await(done, cancel, func() { a.report(begun, kept) })
	switch {
	case errors.Is(err, requester.ErrKeepsNothing):
		return
	case left: // it may still use kept
		a.result = &results.Audit{Acked: a.acked, Error: err.Error()}
		return
	}
	a.result = kept.result()
	if err == nil || errors.Is(err, requester.ErrStoreGone) {
		a.lost = kept.lost
	}
	a.result.TookNS = int64(time.Since(begun))
	switch a.result.Gone = errors.Is(err, requester.ErrStoreGone); {
	case a.result.Gone:
	case err != nil:
		a.result.Error = a.redact(err.Error())
	}
}

var (
	errAuditor = errors.New("the broker does not answer")
	errTooLong = errors.New("it took too long")
	errGivenUp = errors.New("it was interrupted")
)

// await waits for the auditor's end, and tells it to end when it has to. Left tells that it
// did not, and was left behind.
func (a *audit) await(done <-chan error, cancel, report func()) (left bool, err error) {
	over, why := a.watch(done, report)
	if over {
		return false, why
	}
	cancel()
	farewell := lastMoment
	if errors.Is(why, errTooLong) {
		farewell = auditFarewell
	}
	select {
	case <-done: // its error is that of ctx
		return false, why
	case <-time.After(farewell):
	}
	if errors.Is(why, errTooLong) {
		why = errAuditor
	}
	return true, why
}

// watch waits until the auditor is over, and returns its error; or until it must end, and
// returns why: it takes too long, or the user interrupts it.
func (a *audit) watch(done <-chan error, report func()) (over bool, why error) {
	interrupted, limit, every := a.interrupted(), time.After(a.limit), time.NewTicker(auditingEvery)
	defer every.Stop()
	for {
		select {
		case err := <-done:
			return true, err
		case <-every.C:
			report()
		case <-limit:
			return false, errTooLong
		case <-interrupted:
			return false, errGivenUp
		case <-a.giveUp:
			return false, errGivenUp
		}
	}
}

// interrupted returns what is closed when the user interrupts the audit. Who interrupted the
// messages before it wants the rest of the cell, and says so once more to end it.
func (a *audit) interrupted() <-chan struct{} {
	select {
	case <-a.ctx:
		return nil
	default:
		return a.ctx
	}
}

// lastMoment is what is left of any wait once the user has given up.
const lastMoment = 300 * time.Millisecond

// inStore counts how often each message is in the store: not, once, or more often. What was
// delivered and is still there counts as there more often than once.
type inStore struct {
	acked     *promised
	delivered *promised // nil if what is delivered stays in the store
	once      *promised
	again     *promised // nil beside delivered, where copies are counted one by one
	lost      *promised // what was acknowledged and is not there
	copies    int64
	read      atomic.Int64 // so far: read while it grows
}

func newInStore(acked, delivered *promised) *inStore {
	k := &inStore{acked: acked, delivered: delivered, once: newPromised(len(acked.conns)), lost: newPromised(len(acked.conns))}
	if delivered == nil {
		k.again = newPromised(len(acked.conns))
	}
	return k
}

func (k *inStore) add(mine func([]byte) (int, uint64, bool), payload []byte) {
	conn, seq, ok := mine(payload)
	if !ok {
		return // a probe, or a stranger's
	}
	k.read.Add(1)
	switch there := k.once.has(conn, seq); {
	case there && k.again != nil:
		k.again.mark(conn, seq)
	case there || k.taken(conn, seq):
		k.copies++
	}
	k.once.mark(conn, seq)
}

// taken tells whether a message was delivered, and need not be in the store any more.
func (k *inStore) taken(conn int, seq uint64) bool {
	return k.delivered != nil && k.delivered.has(conn, seq)
}

func (k *inStore) result() *results.Audit {
	r := &results.Audit{Read: k.read.Load(), Acked: k.acked.count(), Taken: k.delivered != nil, Duplicates: k.copies}
	if k.again != nil {
		r.Duplicates = k.again.count()
	}
	promised := int64(0) // of those in the store
	k.acked.all(func(conn int, seq uint64) {
		there := k.once.has(conn, seq)
		if there {
			promised++
		}
		switch {
		case k.taken(conn, seq):
			r.Delivered++
		case there:
			r.Kept++
		default:
			k.lost.mark(conn, seq)
			lose(r, results.MessageID{Conn: conn, Seq: seq})
		}
	})
	r.Unacked = k.once.count() - promised
	return r
}

// lose counts a message that is missing, and names it.
func lose(r *results.Audit, one results.MessageID) {
	r.Missing++
	if r.First == nil {
		r.First = &one
	}
	r.Last = &one
	if len(r.Some) < mostMissing {
		r.Some = append(r.Some, one)
	}
}

// mostMissing is how many missing messages a result names.
const mostMissing = 100

// lostOnes returns what was acknowledged and is lost; nil if nobody looked, or not to the end.
func (a *audit) lostOnes() *promised {
	if a == nil {
		return nil
	}
	return a.lost
}

// found returns what was found; nil if nobody looked, or the target keeps nothing.
func (a *audit) found() *results.Audit {
	if a == nil {
		return nil
	}
	return a.result
}
