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

	settled bool // Ready has synced the nodes
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
	nodes []nodeState
}

// A nodeState is what faults did to a node.
type nodeState struct {
	dead    bool  // it was killed or stopped, and not started again yet
	down    bool  // it is dead, or not ready yet
	hands   int   // how many faults end or start it now
	touched int   // how many have begun to
	network []int // the faults of the network in front of it, the earliest first

	paused standstill // has its own lock
}

// New returns the injector of a cell.
func New(cell plan.Cell, o Options) *Injector {
	in := &Injector{
		o: o.withDefaults(), faults: cell.Settings.Faults, seed: cell.Schedule().Seed,
		over: make(chan struct{}), next: make(chan struct{}), nodes: make([]nodeState, len(o.Nodes)),
	}
	for _, f := range in.faults {
		f.Seed = in.seed
		in.found = append(in.found, results.Fault{Plan: f, By: in.means(f)})
	}
	return in
}

// Ready implements impact.Injector.
func (in *Injector) Ready(ctx context.Context) {
	if !slices.ContainsFunc(in.faults, plan.Fault.Settles) {
		return
	}
	select {
	case <-time.After(plan.Settling):
	case <-ctx.Done():
		return
	}
	for i, f := range in.faults {
		in.fail(i, in.settle(f))
	}
	in.settled = true
}

// Begin implements impact.Injector.
func (in *Injector) Begin(f requester.Factory, start time.Time, warmup time.Duration) {
	in.start, in.warmup = start, warmup
	in.leads, _ = requester.As[requester.LeaderFinder](f)
	in.actions, in.callOff = context.WithCancelCause(context.Background())
	for i, f := range in.faults {
		if !f.OfConsumers() { // the consumers are the engine's
			in.doing.Go(func() { in.fault(i) })
		}
	}
}

// Heal implements impact.Injector. It returns one for each fault of the plan; a
// fault of consumers has only its plan. It may be called without Begin.
func (in *Injector) Heal(ctx context.Context) []results.Fault {
	close(in.over)
	if in.callOff != nil {
		defer in.callOff(nil)
		in.await(ctx)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.found)
}

// await waits until everything is repaired.
func (in *Injector) await(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		in.doing.Wait()
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
	in.callOff(why)
	select {
	case <-done:
	case <-time.After(farewell):
	}
}

// fault makes one fault happen, and repairs it.
func (in *Injector) fault(i int) {
	f := in.faults[i]
	at := in.start.Add(in.warmup + f.At)
	if !in.settled {
		in.fail(i, in.settle(f))
	}
	nodes, before, err := in.choose(i, at)
	if !in.until(at) {
		in.fail(i, errOver)
		return
	}
	if err == nil && f.EndsNode() && f.Node == plan.AllNodes {
		nodes, err = in.running()
	}
	began := time.Now()
	in.note(i, func(r *results.Fault) {
		r.BeganNS, r.Nodes, r.LeaderBefore = int64(began.Sub(in.start)), in.names(nodes), before
	})
	if err != nil {
		in.fail(i, err)
		return
	}
	a := &action{in: in, index: i, f: f, nodes: nodes}
	w := &leaderSampler{fault: f, before: before, by: in.means(f), broken: make(chan struct{}), over: make(chan struct{})}
	next := in.begin()
	in.doing.Go(func() { in.sampleLeader(i, w, next) })
	defer close(w.over)
	if in.fail(i, a.do()); a.broken == 0 {
		in.fail(i, a.heal()) // it may be half done
		return
	}
	close(w.broken)
	if f.Network() && a.reached == 0 { // it is repaired nevertheless
		in.fail(i, errNoConnection)
	} else {
		in.note(i, func(r *results.Fault) { r.BrokenNS = in.now() })
	}
	if end, ends := f.Ends(); ends { // late if the fault is: it lasts as long as the plan says
		in.until(began.Add(end - f.At))
	} else {
		<-in.over
	}
	in.heal(i, a)
}

// heal undoes an action.
func (in *Injector) heal(i int, a *action) {
	if a.f.Do == plan.Run {
		return // its effect is unknown
	}
	if err := a.heal(); err != nil {
		in.fail(i, err)
		return
	}
	in.note(i, func(r *results.Fault) {
		if r.BrokenNS > 0 {
			r.HealedNS = new(in.now())
		}
	})
}

// until waits for a moment, and returns false if the cell ends first.
func (in *Injector) until(at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-in.over:
		return false
	}
}

// begin says that a fault begins, and returns what is closed when the next one does.
func (in *Injector) begin() (next <-chan struct{}) {
	in.mu.Lock()
	defer in.mu.Unlock()
	close(in.next)
	in.next = make(chan struct{})
	return in.next
}

// now returns the time since the first message was due, in nanoseconds.
func (in *Injector) now() int64 { return int64(time.Since(in.start)) }

func (in *Injector) note(i int, change func(*results.Fault)) {
	in.mu.Lock()
	defer in.mu.Unlock()
	change(&in.found[i])
}

// fail adds an error to a fault.
func (in *Injector) fail(i int, err error) {
	if err == nil {
		return
	}
	in.note(i, func(r *results.Fault) {
		if r.Error != "" {
			r.Error += "; "
		}
		r.Error += in.o.Redact(err.Error())
	})
}
