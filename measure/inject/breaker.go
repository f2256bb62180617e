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

// errOver is why a fault did not happen whose time had not come, and the next two are why
// something was not mended.
var (
	errOver    = errors.New("the cell ended before")
	errTooLong = errors.New("it took too long")
	errGivenUp = errors.New("it was interrupted")
	// errNoConnection is that a fault of the network reached nobody: such as with a client of
	// NATS, which is connected to one server, whoever leads.
	errNoConnection = errors.New("it reached nobody: no client was connected to the node")
)

// farewell is how long Heal waits, once its context is done, for what it has called off. Whoever
// gives up does not wait for long, and what is known must be said before.
const farewell = 250 * time.Millisecond

// A Breaker breaks what the faults of one cell say. It implements measure.Breaker, whose
// methods are called by one goroutine.
type Breaker struct {
	o      Options
	faults []plan.Fault
	seed   uint64

	start   time.Time
	warmup  time.Duration
	leads   requester.Leads         // nil: the target does not say who leads
	over    chan struct{}           // closed by Heal: what is broken is to be mended now
	deeds   context.Context         //nolint:containedctx // of all that is done to nodes, which has no caller that waits
	callOff context.CancelCauseFunc // ends deeds
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

// New makes the breaker of a cell.
func New(cell plan.Cell, o Options) *Breaker {
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	b := &Breaker{
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

// Begin implements measure.Breaker.
func (b *Breaker) Begin(f requester.Factory, start time.Time, warmup time.Duration) {
	b.start, b.warmup = start, warmup
	b.leads, _ = f.(requester.Leads)
	b.deeds, b.callOff = context.WithCancelCause(context.Background())
	for i, f := range b.faults {
		if f.Do != plan.Fall { // the consumers are the engine's
			b.doing.Go(func() { b.fault(i) })
		}
	}
}

// Heal implements measure.Breaker. It returns one for each fault of the plan; of Fall only
// what the plan says. It may be called without Begin.
func (b *Breaker) Heal(ctx context.Context) []results.Fault {
	close(b.over)
	if b.callOff != nil {
		defer b.callOff(nil)
		b.await(ctx)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.found)
}

// await waits until everything is mended.
func (b *Breaker) await(ctx context.Context) {
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

// fault does one fault, and mends it.
func (b *Breaker) fault(i int) {
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
	d := &deed{b: b, index: i, f: f, nodes: nodes}
	w := newWatching(f, before, b.o.means(f))
	next := b.begin()
	b.doing.Go(func() { b.watch(i, w, next) })
	defer close(w.over)
	if b.fail(i, d.do()); d.broken == 0 {
		b.fail(i, d.mend()) // what may be half done
		return
	}
	close(w.broken)
	if f.Network() && d.reached == 0 { // it is mended all the same
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

// mend undoes a deed.
func (b *Breaker) mend(i int, d *deed) {
	if d.f.Do == plan.Run {
		return // nobody knows what it has done
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

// until waits for a moment, and returns false if the cell is over before.
func (b *Breaker) until(at time.Time) bool {
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
func (b *Breaker) begin() (next <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.next)
	b.next = make(chan struct{})
	return b.next
}

// now returns the time since the first due, in nanoseconds.
func (b *Breaker) now() int64 { return int64(time.Since(b.start)) }

func (b *Breaker) note(i int, change func(*results.Fault)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.found[i])
}

// fail notes an error, beside those that there are.
func (b *Breaker) fail(i int, err error) {
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
