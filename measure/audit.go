package measure

import (
	"context"
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
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

// An audit compares the acknowledged messages with those in the target's store.
type audit struct {
	auditor      requester.Auditor
	store        requester.Store
	cell         plan.Cell
	redact       func(string) string
	auditing     func(Auditing)  // may be nil
	ctx          <-chan struct{} // Done of the run's context
	giveUp       <-chan struct{}
	gone         <-chan struct{} // closed when the target does not answer other questions
	acknowledged *record.Bitmap  // of the acknowledged messages
	delivered    *record.Bitmap  // of the messages that left the store for good; nil if the store keeps them
	acked        int64           // how many there are, once the run is over
	discards     *discards       // nil if the store has no limit
	limit        time.Duration
	result       *results.Audit
	lost         *record.Bitmap // of the acknowledged messages that are not there; nil until the store was read to its end
}

// newAudit returns nil if the target cannot be audited, or the cell asks for no audit.
func newAudit(ctx context.Context, f requester.Factory, cell plan.Cell, o Options) *audit {
	auditor, ok := requester.As[requester.Auditor](f)
	if !ok || !cell.Settings.Audit || o.Echo != nil { // an echo consumes our messages, and stores its own
		return nil
	}
	if !cell.Shape.Topology.Own() && auditor.Store().Consuming { // it is not known which of the groups took a message
		return nil
	}
	connections := max(cell.Shape.Connections, 1)
	a := &audit{
		auditor: auditor, store: auditor.Store(), cell: cell, redact: o.Redact, auditing: o.Auditing, ctx: ctx.Done(), giveUp: o.GiveUp,
		acknowledged: record.NewBitmap(connections), limit: auditLimit + 2*cell.Settings.Duration,
	}
	if a.store.Consuming {
		a.delivered = record.NewBitmap(connections)
	}
	return a
}

// marks returns where acknowledgements are marked; nil without an audit.
func (a *audit) marks() *record.Bitmap {
	if a == nil {
		return nil
	}
	return a.acknowledged
}

// delivery returns where deliveries are marked; nil if they are not needed.
func (a *audit) delivery() func(conn int, seq uint64) {
	if a == nil || a.delivered == nil {
		return nil
	}
	return a.delivered.Mark
}

// read reads the store, when the run is over and nothing is torn down. It ends if nothing was read
// when gone is closed; nil: never.
func (a *audit) read(mine func([]byte) (int, uint64, bool), gone <-chan struct{}) {
	if a == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	begun := time.Now()
	kept := newInStore(a.acknowledged, a.delivered)
	kept.discards = a.discards
	a.acked = a.acknowledged.Count()
	done := make(chan error, 1)
	go func() {
		err := a.search(ctx, kept, func(payload []byte) { kept.add(mine, payload) })
		if err == nil {
			kept.reach, err = a.discards.reach(ctx)
		}
		done <- err
	}()
	a.gone = gone
	left, err := a.await(done, cancel, kept, begun)
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
	if a.result.Discarded > 0 { // of these it is not known
		a.lost = nil
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

// await waits until the auditor returns, and cancels it when necessary. Left says that it did not
// return then.
func (a *audit) await(done <-chan error, cancel func(), kept *inStore, begun time.Time) (left bool, err error) {
	over, why := a.watch(done, kept, begun)
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

// watch waits until the auditor returns, and returns its error, or until it must be cancelled,
// and returns the reason: it takes too long, the target is gone, or the user interrupts it.
func (a *audit) watch(done <-chan error, kept *inStore, begun time.Time) (over bool, why error) {
	gone, interrupted, limit, every := a.gone, a.interrupted(), time.After(a.limit), time.NewTicker(auditingEvery)
	defer every.Stop()
	for {
		select {
		case err := <-done:
			return true, err
		case <-every.C:
			a.report(begun, kept)
		case <-gone:
			if gone = nil; kept.read.Load() == 0 {
				return false, errAuditor
			}
		case <-limit:
			return false, errTooLong
		case <-interrupted:
			return false, errGivenUp
		case <-a.giveUp:
			return false, errGivenUp
		}
	}
}

// interrupted returns a channel that is closed when the user interrupts the audit. A user who
// interrupted the messages before it wants the rest of the cell, and interrupts again to end it.
func (a *audit) interrupted() <-chan struct{} {
	select {
	case <-a.ctx:
		return nil
	default:
		return a.ctx
	}
}

// lastMoment bounds any wait once the user has given up.
const lastMoment = 300 * time.Millisecond

// missing returns the acknowledged messages that are lost; nil unless the store was read to its end.
func (a *audit) missing() *record.Bitmap {
	if a == nil {
		return nil
	}
	return a.lost
}

// found returns the result; nil without an audit, or if the target keeps nothing.
func (a *audit) found() *results.Audit {
	if a == nil {
		return nil
	}
	return a.result
}

// An Auditing is the progress of an audit.
type Auditing struct {
	Cell    plan.Cell
	Elapsed time.Duration // since the audit began
	Read    int64         // messages of this cell that were read so far, including unacknowledged ones
	Acked   int64         // messages that were acknowledged: at least as many are there, if none is lost
}

// auditingEvery is the time between two reports of an audit. One that is over before the
// first is not reported.
const auditingEvery = 500 * time.Millisecond

// report reports the progress of the audit.
func (a *audit) report(begun time.Time, kept *inStore) {
	if a.auditing != nil {
		a.auditing(Auditing{Cell: a.cell, Elapsed: time.Since(begun), Read: kept.read.Load(), Acked: a.acked})
	}
}
