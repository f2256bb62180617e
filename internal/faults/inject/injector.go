package inject

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// errOver is why a fault did not happen before the cell ended. The next two are why a repair did not
// end.
var (
	errOver    = errors.New("the cell ended before")
	errTooLong = errors.New("it took too long")
	errGivenUp = errors.New("it was interrupted")
	// errNoConnection means that a fault of the network affected no connection. A client of
	// NATS, for example, is connected to one server, which need not be the leader.
	errNoConnection = errors.New("it had no effect: no client was connected to the node")
)

// farewell is how long Heal waits, once its context is done, for the actions that it cancelled. A
// user who gives up does not wait for long, and the result needs their outcome.
const farewell = 250 * time.Millisecond

// An Injector makes the faults of one cell happen. It implements impact.Injector, whose
// methods are called by one goroutine.
type Injector struct {
	o      Options
	faults []plan.Fault
	seed   uint64

	start   time.Time
	warmup  time.Duration
	leads   requester.LeaderFinder  // nil: the target does not name its leader
	over    chan struct{}           // closed by Heal: repairs begin now
	actions context.Context         //nolint:containedctx // of all actions, which no caller waits for
	callOff context.CancelCauseFunc // ends actions
	doing   sync.WaitGroup

	mu    sync.Mutex
	found []results.Fault
	next  chan struct{} // closed when another one begins
	dead  map[int]bool  // nodes that were killed or stopped, and not started again yet
	down  map[int]bool  // those, and those that are not ready yet
	hands map[int]int   // how many faults end or start a node now
	// touched is how many have begun to.
	touched map[int]int
	nets    []brokenNet // what is broken in front of nodes, the earliest first

	standstills []standstill // of each node
}

// New returns the injector of a cell.
func New(cell plan.Cell, o Options) *Injector {
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	b := &Injector{
		o: o, faults: cell.Settings.Faults, seed: cell.Schedule().Seed,
		over: make(chan struct{}), next: make(chan struct{}),
		dead: make(map[int]bool), down: make(map[int]bool), hands: make(map[int]int), touched: make(map[int]int), standstills: make([]standstill, len(o.Nodes)),
	}
	for _, f := range b.faults {
		f.Seed = b.seed
		b.found = append(b.found, results.Fault{Plan: f, By: o.means(f)})
	}
	return b
}

// Begin implements impact.Injector.
func (b *Injector) Begin(f requester.Factory, start time.Time, warmup time.Duration) {
	b.start, b.warmup = start, warmup
	b.leads, _ = requester.As[requester.LeaderFinder](f)
	b.actions, b.callOff = context.WithCancelCause(context.Background())
	for i, f := range b.faults {
		if f.Do != plan.ConsumerPause { // the consumers are the engine's
			b.doing.Go(func() { b.fault(i) })
		}
	}
}

// Heal implements impact.Injector. It returns one for each fault of the plan; a
// pause of consumers has only its plan. It may be called without Begin.
func (b *Injector) Heal(ctx context.Context) []results.Fault {
	close(b.over)
	if b.callOff != nil {
		defer b.callOff(nil)
		b.await(ctx)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.found)
}

// await waits until everything is repaired.
func (b *Injector) await(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		b.doing.Wait()
		close(done)
	}()
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	why := errTooLong
	if errors.Is(ctx.Err(), context.Canceled) {
		why = errGivenUp
	}
	b.callOff(why)
	select {
	case <-done:
	case <-time.After(farewell):
	}
}

// fault makes one fault happen, and repairs it.
func (b *Injector) fault(i int) {
	f := b.faults[i]
	at := b.start.Add(b.warmup + f.At)
	nodes, before, err := b.choose(i, at)
	if !b.until(at) {
		b.fail(i, errOver)
		return
	}
	if err == nil && (f.Do == plan.Kill || f.Do == plan.Stop) && f.Node == plan.AllNodes {
		nodes, err = b.running(nodes)
	}
	began := time.Now()
	b.note(i, func(r *results.Fault) {
		r.BeganNS, r.Nodes, r.LeaderBefore = int64(began.Sub(b.start)), b.names(nodes), before
	})
	if err != nil {
		b.fail(i, err)
		return
	}
	d := &action{b: b, index: i, f: f, nodes: nodes}
	w := newLeaderWatch(f, before, b.o.means(f))
	next := b.begin()
	b.doing.Go(func() { b.watch(i, w, next) })
	defer close(w.over)
	if b.fail(i, d.do()); d.broken == 0 {
		b.fail(i, d.mend()) // it may be half done
		return
	}
	close(w.broken)
	if f.Network() && d.reached == 0 { // it is repaired nevertheless
		b.fail(i, errNoConnection)
	} else {
		b.note(i, func(r *results.Fault) { r.BrokenNS = b.now() })
	}
	if end, ends := f.Ends(); ends { // late if the fault is: it lasts as long as the plan says
		b.until(began.Add(end - f.At))
	} else {
		<-b.over
	}
	b.mend(i, d)
}

// mend undoes an action.
func (b *Injector) mend(i int, d *action) {
	if d.f.Do == plan.Run {
		return // its effect is unknown
	}
	if err := d.mend(); err != nil {
		b.fail(i, err)
		return
	}
	b.note(i, func(r *results.Fault) {
		if r.BrokenNS > 0 {
			healed := b.now()
			r.HealedNS = &healed
		}
	})
}

// until waits for a moment, and returns false if the cell ends first.
func (b *Injector) until(at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-b.over:
		return false
	}
}

// begin says that a fault begins, and returns what is closed when the next one does.
func (b *Injector) begin() (next <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.next)
	b.next = make(chan struct{})
	return b.next
}

// now returns the time since the first message was due, in nanoseconds.
func (b *Injector) now() int64 { return int64(time.Since(b.start)) }

func (b *Injector) note(i int, change func(*results.Fault)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.found[i])
}

// fail adds an error to a fault.
func (b *Injector) fail(i int, err error) {
	if err == nil {
		return
	}
	b.note(i, func(r *results.Fault) {
		if r.Error != "" {
			r.Error += "; "
		}
		r.Error += b.o.Redact(err.Error())
	})
}
