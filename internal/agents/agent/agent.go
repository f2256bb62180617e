// Package agent runs on a machine that measures a part of a cell. It connects to the control
// server, listens on no port, follows orders, and delivers its results. While messages are due
// it waits for no other process.
package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/control"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/results"
)

// A Config says who the agent is, and how it measures.
type Config struct {
	Join        wire.Join
	Version     string
	Environment results.Environment
	Dir         string // results are kept there until the run is over; it exists

	// Measure measures the part of a task, and writes its files into a folder, which
	// exists. Without an error there is a result. When ctx ends, that is what was measured
	// so far.
	Measure func(ctx context.Context, task wire.Task, dir string, hooks Hooks) error
	// GiveUp is closed when the agent has to end at once, without the results that are not
	// delivered by then. It may be nil.
	GiveUp <-chan struct{}
	// Zero is when the agent's clock was at zero; the zero Time means the agent's start. With the
	// machine's clock, the stamps of one process are valid in another.
	Zero time.Time
	// Say tells the user something; it must not block. May be nil.
	Say func(text string)
}

// Hooks are what Measure calls on the way.
type Hooks struct {
	Ready    func(ctx context.Context) (start time.Time, err error) // everything is set up: waits for the common start
	Started  func(start time.Time)                                  // messages are about to be due
	Progress func(due, done int64)
	Settled  func()                          // of a cell with faults: sending and waiting are over; waits until the faults are repaired
	Spanned  func(first, last time.Duration) // when the first and the last message were done
	Echo     func() wire.EchoStart           // after Ready: the clock of who sends back, if agents do
	Keep     func(end func())                // end is called before the next task, or when the agent ends
	GiveUp   <-chan struct{}                 // closed when the result is not wanted: Measure ends at once
}

const (
	beatEvery   = 500 * time.Millisecond
	joinTimeout = time.Minute
)

// An Agent is one process of a run.
type Agent struct {
	cfg      Config
	name     string
	epoch    string
	began    time.Time // of this agent's clock
	subjects wire.Subjects
	conn     conn

	orders chan wire.Order
	wake   chan struct{} // the state has changed

	mu    sync.Mutex
	job   *job
	seq   int
	sent  map[string]reported // beats that are not answered yet, by their inbox
	heard time.Time           // when the last beat that was answered was sent, or the last task came
	lease time.Duration
	over  error // why the agent ends

	leaving time.Time // when its user wanted it to end; zero: not yet
	free    time.Time // of one that leaves: when nothing was left to be delivered
	parted  bool      // of one that leaves: a beat with nothing left to be delivered was answered
}

// A conn is what an agent needs of its connection.
type conn interface {
	PublishRequest(subject, reply string, data []byte) error
	RequestWithContext(ctx context.Context, subject string, data []byte) (*nats.Msg, error)
	FlushTimeout(limit time.Duration) error
	IsClosed() bool
	Close()
}

var errOver = errors.New("the run is over")

// Run takes part until the run is over or ctx ends. Then it stops measuring, delivers its
// result for up to a minute, and returns the cause of ctx. It returns another error if it never
// took part, was refused, or waited too long; *Undelivered if it has a result that no
// coordinator knows of.
func Run(ctx context.Context, cfg Config) error {
	a := newAgent(cfg)
	if err := a.connect(); err != nil {
		return err
	}
	defer a.conn.Close()
	return a.takePart(ctx)
}

func newAgent(cfg Config) *Agent {
	a := &Agent{
		cfg: cfg, name: cfg.Join.Agent.Name, epoch: fmt.Sprintf("%016x", rand.Uint64()), //nolint:gosec // not a secret
		began: time.Now(), heard: time.Now(), subjects: wire.Subjects{Run: cfg.Join.Run},
		orders: make(chan wire.Order, 64), wake: make(chan struct{}, 1), sent: make(map[string]reported),
	}
	if !cfg.Zero.IsZero() {
		a.began = cfg.Zero
	}
	return a
}

// connect subscribes, and flushes, before the first beat says that the agent is there.
func (a *Agent) connect() error {
	j := a.cfg.Join
	c, err := control.Dial(control.Link{
		URL: j.URL, SHA256: j.SHA256, Identity: j.Agent, Inbox: a.inbox(),
	}, joinTimeout)
	if err != nil {
		return err
	}
	_, err = c.Subscribe(a.subjects.Orders(a.name), a.ordered)
	if err == nil {
		_, err = c.Subscribe(a.inbox()+".beat.*", a.answered)
	}
	if err == nil {
		err = c.FlushTimeout(joinTimeout)
	}
	if err != nil {
		c.Close()
		return fmt.Errorf("joining run %s: %w", j.Run, err)
	}
	a.conn = c
	return nil
}

// inbox is where this process hears answers, without the last part: not what is answered to
// another one that says it is the same agent.
func (a *Agent) inbox() string { return a.subjects.Inbox(a.name) + "." + a.epoch }

// takePart is the agent from its first beat to its last.
func (a *Agent) takePart(ctx context.Context) error {
	err := a.serve(ctx)
	owed := a.current().owes()
	late := a.end()
	switch {
	case errors.Is(err, errOver):
		a.lastBeat()
		return late
	case owed:
		err = a.keep(err)
	}
	return errors.Join(err, late)
}

// serve does what it is told.
func (a *Agent) serve(ctx context.Context) error {
	beats := time.NewTicker(beatEvery)
	defer beats.Stop()
	a.beat()
	leave := ctx.Done()
	for {
		select {
		case <-a.cfg.GiveUp:
			return cmp.Or(context.Cause(ctx), errGivenUp)
		case <-leave:
			leave = nil
			a.leave()
		case o := <-a.orders:
			a.follow(ctx, o)
		case <-a.wake:
		case <-beats.C:
		}
		if err := a.watch(ctx); err != nil {
			return err
		}
		a.beat()
	}
}

// current returns the job; nil if there was none.
func (a *Agent) current() *job {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.job
}

// finish makes serve return.
func (a *Agent) finish(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over == nil {
		a.over = err
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
