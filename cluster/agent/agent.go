// Package agent is what runs on a machine that measures a part of a cell. It connects to
// the control server, listens on nothing, does what it is told, and delivers its results.
// While messages are due it waits for nobody.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/cluster/control"
	"github.com/brokerbench/brokerbench/cluster/wire"
	"github.com/brokerbench/brokerbench/results"
)

// A Config says who the agent is, and how it measures.
type Config struct {
	Join        wire.Join
	Version     string
	Environment results.Environment
	Dir         string // results are kept there until the run is over; it exists

	// Measure measures the part of a task, and writes its files into a folder, which
	// exists. Without an error there is a result.
	Measure func(ctx context.Context, task wire.Task, dir string, hooks Hooks) error
	// Zero is when the agent's clock showed nothing; zero: when it began. With the clock of the
	// machine, what one process of it has stamped means the same to another.
	Zero time.Time
	// Say tells the user something; it must not block. May be nil.
	Say func(text string)
}

// Hooks are what Measure calls on the way.
type Hooks struct {
	Ready    func(ctx context.Context) (start time.Time, err error) // everything is set up: waits for the common start
	Started  func(start time.Time)                                  // messages are about to be due
	Progress func(due, done int64)
	Settled  func()                          // of a cell with faults: nothing is sent or awaited any more; waits until what is broken is mended
	Spanned  func(first, last time.Duration) // when the first and the last message were done
	Echo     func() wire.EchoStart           // after Ready: the clock of who sends back, if agents do
	Keep     func(end func())                // end is called before the next task, or when the agent ends
}

const (
	beatEvery   = 500 * time.Millisecond
	joinTimeout = time.Minute
	// An agent that hears of no coordinator waits so long for one that goes on.
	patience = time.Hour
)

// An Agent is one process of a run.
type Agent struct {
	cfg      Config
	name     string
	epoch    string
	began    time.Time // of its own clock
	subjects wire.Subjects
	conn     *nats.Conn
	link     link

	orders chan wire.Order
	wake   chan struct{} // the state has changed

	mu    sync.Mutex
	job   *job
	seq   int
	sent  map[string]time.Time // beats that are not answered yet, by their inbox
	heard time.Time            // when the last beat that was answered was sent
	lease time.Duration
	over  error // why the agent ends
}

var errOver = errors.New("the run is over")

// Run takes part until the run is over or ctx ends. It returns an error if it never could,
// was refused, or waited too long.
func Run(ctx context.Context, cfg Config) error {
	a := &Agent{
		cfg: cfg, name: cfg.Join.Agent.Name, epoch: fmt.Sprintf("%016x", rand.Uint64()), //nolint:gosec // not a secret
		began: time.Now(), heard: time.Now(), subjects: wire.Subjects{Run: cfg.Join.Run},
		orders: make(chan wire.Order, 64), wake: make(chan struct{}, 1), sent: make(map[string]time.Time),
	}
	if !cfg.Zero.IsZero() {
		a.began = cfg.Zero
	}
	if err := a.connect(); err != nil {
		return err
	}
	defer a.conn.Close()
	err := a.serve(ctx)
	a.finish(err) // what is not delivered yet is not any more
	a.end()
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

// connect subscribes, and flushes, before the first beat says that the agent is there.
func (a *Agent) connect() (err error) {
	j := a.cfg.Join
	a.conn, err = control.Dial(control.Link{
		URL: j.URL, SHA256: j.SHA256, Seed: j.Agent.Seed, Name: "brokerbench agent " + a.name,
		Inbox: a.inbox(), Changed: a.link.changed,
	}, joinTimeout)
	if err != nil {
		return err
	}
	_, err = a.conn.Subscribe(a.subjects.Orders(a.name), a.ordered)
	if err == nil {
		_, err = a.conn.Subscribe(a.inbox()+".beat.*", a.answered)
	}
	if err == nil {
		err = a.conn.FlushTimeout(joinTimeout)
	}
	if err != nil {
		a.conn.Close()
		return fmt.Errorf("joining run %s: %w", j.Run, err)
	}
	return nil
}

// inbox is where this process hears answers, without the last part: not what is answered to
// another one that says it is the same agent.
func (a *Agent) inbox() string { return a.subjects.Inbox(a.name) + "." + a.epoch }

// serve does what it is told.
func (a *Agent) serve(ctx context.Context) error {
	beats := time.NewTicker(beatEvery)
	defer beats.Stop()
	a.beat()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case o := <-a.orders:
			a.follow(ctx, o)
		case <-a.wake:
		case <-beats.C:
		}
		if err := a.watch(); err != nil {
			return err
		}
		a.beat()
	}
}

// ordered takes an order. A clock is read at once: all else can wait.
func (a *Agent) ordered(m *nats.Msg) {
	came := time.Since(a.began)
	var o wire.Order
	if json.Unmarshal(m.Data, &o) != nil || o.Epoch != a.epoch {
		return // for another process by this name
	}
	if o.Kind == wire.Clock {
		text, _ := json.Marshal(wire.Tick{Came: came, Left: time.Since(a.began)})
		_ = m.Respond(text)
		return
	}
	select {
	case a.orders <- o:
	default: // it is repeated
	}
}

// follow does what an order says, unless it is done.
func (a *Agent) follow(ctx context.Context, o wire.Order) {
	a.mu.Lock()
	j := a.job
	a.mu.Unlock()
	mine := j != nil && j.key == o.Key
	switch o.Kind {
	case wire.Prepare:
		if !mine && o.Task != nil {
			j.abandon("another task came")
			a.begin(ctx, o.Key, *o.Task)
		}
	case wire.Start:
		if mine {
			j.startAt(a.began.Add(o.Start), o.Echo)
		}
	case wire.Mended:
		if mine {
			j.goOn()
		}
	case wire.Stop:
		if mine {
			j.stop("it was told to stop")
		}
	case wire.Bye:
		a.finish(errOver)
	case wire.Clock, wire.Forget:
	}
}

// finish makes serve return.
func (a *Agent) finish(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over == nil {
		a.over = err
	}
}

// watch ends what must not go on: an agent that hears of nobody.
func (a *Agent) watch() error {
	a.mu.Lock()
	over, j, silent, lease := a.over, a.job, time.Since(a.heard), a.lease
	a.mu.Unlock()
	switch {
	case over != nil:
		return over
	case silent > patience:
		return fmt.Errorf("no coordinator was heard of for %v", patience)
	case lease == 0 || silent <= lease || j == nil:
		return nil
	}
	switch state := j.reached(); state { //nolint:exhaustive // the others are over
	case wire.Preparing, wire.Prepared, wire.Armed:
		j.stop(fmt.Sprintf("its lease ended: nobody was heard of for %v", lease))
	case wire.Running:
		if !a.link.gone() { // it may be cut off while the others go on without it
			j.stop("its lease ended")
		}
	}
	return nil
}

// deserted tells whether nobody was heard of for longer than the lease.
func (a *Agent) deserted() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lease > 0 && time.Since(a.heard) > a.lease
}

// end ends what is under way.
func (a *Agent) end() {
	a.mu.Lock()
	j := a.job
	a.mu.Unlock()
	if j != nil {
		j.abandon("the agent ends")
		<-j.ended
		j.release()
	}
}

func (a *Agent) say(format string, args ...any) {
	if a.cfg.Say != nil {
		a.cfg.Say(fmt.Sprintf(format, args...))
	}
}

// nudge makes the agent report at once.
func (a *Agent) nudge() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}
