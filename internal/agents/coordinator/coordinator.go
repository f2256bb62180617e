// Package coordinator measures cells on agents: it waits until they are there, drives each
// attempt by package attempt, and takes what they deliver. It sends no message to the system under
// test.
package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/attempt"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/plan"
)

// A Config lists the agents that measure, and sets the tolerances for losing contact.
type Config struct {
	Run     string // its ID
	Agents  []string
	Version string
	Conn    *nats.Conn // to the control server

	Lease   time.Duration // for how long an agent may be silent; 0: 10 s
	MaxSkew time.Duration // how well an agent's clock must be known; 0: as well as its round trips permit
	Keep    bool          // keep a cell of which an agent was lost
	Wait    time.Duration // how long to wait for agents that are not there; 0: a minute
	First   int           // the number of the first part: larger than all that an earlier coordinator of the run used

	Held  *Attempt      // of another coordinator, whose results agents may have; may be nil
	Begun func(Attempt) // is given each attempt whose messages are due; may be nil

	GiveUp   <-chan struct{}   // closed when Measure has to end at once; may be nil
	Say      func(text string) // tells the user; may be nil
	Progress func(Progress)    // called ten times a second while messages are due; may be nil
}

// A Progress is how far all agents are with a cell.
type Progress struct {
	Cell      plan.Cell
	Elapsed   time.Duration // since the first message was due
	Due, Done int64
	Quiet     []string // agents that were not heard of for a while
}

// Defaults.
const (
	DefaultLease = 10 * time.Second
	DefaultWait  = time.Minute
	attempts     = 3
)

// ErrLost is the error of a cell that was not measured because agents were lost, or never
// were there.
var ErrLost = errors.New("not measured")

// ErrHalted is the error of a cell that was not measured for a reason on this side: the disk is full,
// or the control server is gone. Agents may be there, and have results.
var ErrHalted = errors.New("the coordinator cannot go on")

// halted returns an error on this side as ErrHalted.
func halted(err error) error {
	if errors.Is(err, ErrHalted) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrHalted, err)
}

// A Coordinator coordinates the agents of one run. It is used by one goroutine, except Gone.
type Coordinator struct {
	cfg        Config
	began      time.Time // of its clock
	subjects   wire.Subjects
	roster     *roster
	deliveries deliveries
	gone       chan departure
	readings   chan struct{}   // of clocks that are under way
	far        map[string]bool // agents of whose clocks the user knows that they are not known well
	number     int             // of the next part: each part of each attempt has its own name on the target
}

// A departure is an agent that is known to be gone.
type departure struct{ agent, why string }

// mostChunks is how many chunks of each agent may wait to be written. An agent sends a chunk again
// that is not answered in time, also while the disk is slow: those that are too many are dropped.
const mostChunks = 4

// New makes a coordinator, which hears of agents from then on. The caller calls End.
func New(ctx context.Context, cfg Config) (*Coordinator, error) {
	cfg = cfg.withDefaults()
	c := &Coordinator{cfg: cfg, began: time.Now(), number: cfg.First, subjects: wire.Subjects{Run: cfg.Run}, gone: make(chan departure, len(cfg.Agents)+1), readings: make(chan struct{}, mostReadings), far: make(map[string]bool)}
	c.roster = newRoster(cfg, c.began)
	_, err := cfg.Conn.Subscribe(c.subjects.Beat("*"), c.roster.beat)
	var results *nats.Subscription
	if err == nil {
		results, err = cfg.Conn.Subscribe(c.subjects.Results("*"), c.deliver)
	}
	if err == nil {
		most := mostChunks * len(cfg.Agents)
		err = results.SetPendingLimits(most, most*wire.ChunkSize)
	}
	if err == nil {
		limited, cancel := context.WithTimeout(ctx, cfg.Lease)
		defer cancel()
		err = cfg.Conn.FlushWithContext(limited)
	}
	if err != nil {
		return nil, fmt.Errorf("coordinating run %s: %w", cfg.Run, err)
	}
	return c, nil
}

func (c Config) withDefaults() Config {
	if c.Lease == 0 {
		c.Lease = DefaultLease
	}
	if c.Wait == 0 {
		c.Wait = DefaultWait
	}
	if c.Say == nil {
		c.Say = func(string) {}
	}
	if c.Progress == nil {
		c.Progress = func(Progress) {}
	}
	return c
}

func (c *Coordinator) now() time.Duration { return time.Since(c.began) }

// Gone tells that an agent's process has ended. It may be called from any goroutine.
func (c *Coordinator) Gone(agent, why string) {
	c.roster.leave(agent)
	select {
	case c.gone <- departure{agent, why}:
	default: // its silence says it, too
	}
}

// Gather waits until all agents are there.
func (c *Coordinator) Gather(ctx context.Context) error {
	limit := time.After(c.cfg.Wait)
	look := time.NewTicker(tick)
	defer look.Stop()
	for {
		missing := c.roster.missing(c.now())
		if len(missing) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-limit:
			return fmt.Errorf("%w: agents %s are not there after %v", ErrLost, strings.Join(missing, ", "), c.cfg.Wait)
		case <-look.C:
		}
	}
}

// End tells the agents that the run is over until each has confirmed that it ends, for at most
// the lease and its grace.
func (c *Coordinator) End(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, c.cfg.Lease+attempt.Grace)
	defer cancel()
	c.roster.end()
	if names := c.farewell(limited); names != nil {
		c.cfg.Say(fmt.Sprintf("agents %s did not say that they heard that the run is over: each that lives ends ten minutes after it last heard of this process; end it, or its machine is not free before", strings.Join(names, ", ")))
	}
	_ = c.cfg.Conn.FlushTimeout(flushTime)
}

// unlessGivenUp returns a context that ends with another one, or when the user gives up.
func (c *Coordinator) unlessGivenUp(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-c.cfg.GiveUp:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// flushTime is how long sending the last orders may take: less than the second Ctrl-C leaves.
const flushTime = time.Second

const (
	byeEvery = time.Second
	byeLook  = 20 * time.Millisecond
)

// farewell says goodbye, again and again to agents that may not have heard it, and returns the
// names of those.
func (c *Coordinator) farewell(ctx context.Context) (names []string) {
	look := time.NewTicker(byeLook)
	defer look.Stop()
	for said := -byeEvery; ; {
		left := c.roster.unheard()
		if len(left) == 0 {
			return nil
		}
		if now := c.now(); now-said >= byeEvery {
			said = now
			for _, s := range left {
				c.order(s, wire.Order{Kind: wire.Bye})
			}
		}
		select {
		case <-look.C:
			continue
		case <-c.cfg.GiveUp:
			return nil // the user does not wait to hear it
		case <-ctx.Done():
		}
		for _, s := range left {
			names = append(names, s.name)
		}
		return names
	}
}

// order sends an order; it is repeated by who needs it.
func (c *Coordinator) order(s seat, o wire.Order) {
	o.Epoch = s.epoch
	if text, err := json.Marshal(o); err == nil {
		_ = c.cfg.Conn.Publish(c.subjects.Orders(s.name), text)
	}
}

// tick is how often the coordinator looks at what has changed.
const tick = 100 * time.Millisecond
