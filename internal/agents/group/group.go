// Package group brings up the agents of a run: the control server, the processes where they are to
// measure, and the coordinator. It keeps the state by which a run is resumed.
package group

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/control"
	"github.com/brokerbench/brokerbench/internal/agents/coordinator"
	"github.com/brokerbench/brokerbench/internal/agents/merge"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// ErrLost is the error of cells that were not measured for want of agents.
var ErrLost = coordinator.ErrLost

// An Env is the process that coordinates a run.
type Env struct {
	Version  string
	Variable func(name string) string // looks up the environment; "" if it is not set
	Say      func(text string)        // tells the user; text may quote what an agent said of a target
	GiveUp   <-chan struct{}          // closed when everything has to end at once; may be nil
	Progress func(coordinator.Progress)
	Redact   func(text string) string // removes secrets; nil: nothing is secret
}

// A Group is the agents of a run with their coordinator and its control server. It is used by
// one goroutine.
type Group struct {
	env   Env
	where Placement
	state *State

	server      *control.Server // nil: the user's own is used
	conn        *nats.Conn
	coordinator *coordinator.Coordinator

	halted   bool // the run can be resumed, and agents may have results
	launcher *launcher
	remove   func() error // removes what place created elsewhere; nil: nothing
}

// Start starts the control server, and the agents where they are to be, for a plan. once is why
// the run cannot be resumed; "" if it can. The caller calls End when the last cell is measured,
// and then Close.
func Start(ctx context.Context, env Env, o Options, p plan.Plan, once string) (*Group, error) {
	s, err := newState(env.Variable, State{Options: o, Run: run.NewID(time.Now()), Plan: p, Once: once})
	if err != nil {
		return nil, err
	}
	g, err := open(ctx, env, s)
	if err != nil {
		return nil, errors.Join(err, s.Remove())
	}
	return g, nil
}

// Resume is Start for a run that another coordinator began. After an error its state is still
// there.
func Resume(ctx context.Context, env Env, s *State) (*Group, error) {
	s.Resumed++
	return open(ctx, env, s)
}

// open starts or finds the control server, connects to it, and places the agents.
func open(ctx context.Context, env Env, s *State) (*Group, error) {
	where, err := s.Parse()
	if err != nil {
		return nil, err
	}
	g := &Group{env: env, where: where, state: s}
	g.launcher = newLauncher(s.Lease, func(agent, why string) { g.coordinator.Gone(agent, why) }, env.Say)
	if err = g.connect(); err == nil {
		err = g.coordinate(ctx)
	}
	if err == nil {
		err = g.place(ctx)
	}
	if err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// connect connects to the control server, which it starts unless it is the user's.
func (g *Group) connect() error {
	at, err := g.state.server()
	if err != nil {
		return err
	}
	link := control.Link{URL: at.url, Identity: wire.Identity{Name: "coordinator"}, Inbox: wire.Subjects{Run: g.state.Run}.Coordinator()}
	g.state.URL = at.url
	if at.own {
		if g.server, err = control.Serve(g.state.Run, at.host, max(at.port, g.state.Port), g.state.Secrets); err != nil {
			return err
		}
		if err := g.state.listens(at, g.server.Port()); err != nil {
			return err
		}
		link.URL, link.SHA256, link.Identity = at.local(g.state.Port), g.state.Secrets.SHA256(), g.state.Secrets.Coordinator
	}
	g.conn, err = control.Dial(link, controlTimeout)
	return errors.Join(err, g.state.save())
}

// coordinate starts the coordinator.
func (g *Group) coordinate(ctx context.Context) (err error) {
	s := g.state
	g.coordinator, err = coordinator.New(ctx, coordinator.Config{
		Run: s.Run, Agents: g.where.names(), Version: g.env.Version, Conn: g.conn, First: s.Resumed * partsPerProcess, GiveUp: g.env.GiveUp,
		Lease: s.Lease, MaxSkew: s.MaxSkew, Keep: s.OnLoss == "keep", Wait: s.Wait, Say: g.env.Say, Progress: g.env.Progress,
		Held: s.Attempt, Begun: g.began,
	})
	return err
}

// began records an attempt: whoever resumes the run collects what agents measured.
func (g *Group) began(a coordinator.Attempt) {
	if g.state.Once != "" {
		return
	}
	g.state.Attempt = &a
	if err := g.state.save(); err != nil {
		g.env.Say(err.Error())
	}
}

// Run returns the ID of the run.
func (g *Group) Run() string { return g.state.Run }

// Agents returns how many agents there are.
func (g *Group) Agents() int { return g.where.N }

// Begun records the folder of the results.
func (g *Group) Begun(results string) error { return g.state.begun(results) }

// Measure measures a cell on the agents, and merges what they measured. They find its target at
// there, and dial the addresses in via elsewhere; see wire.Task.
func (g *Group) Measure(ctx context.Context, cell plan.Cell, there plan.Target, via map[string]string, folder *results.CellFolder, d *run.CellDriver) (*results.Cell, error) {
	moved := cell
	moved.Target = there
	parts, start, err := g.coordinator.Measure(ctx, moved, cell.ID(), folder, coordinator.Central{Via: via, Driver: d})
	if err != nil {
		return nil, g.halt(err)
	}
	write := func(f func() error) error { return g.Room(ctx, folder.Dir(), f) }
	return merge.Cell(cell, start, parts, merge.Options{Folder: folder, Redact: g.env.Redact, Central: d, Write: write})
}

// Room calls what writes below a folder until the disk has room for it, or the user gives up.
func (g *Group) Room(ctx context.Context, dir string, write func() error) error {
	return g.halt(g.coordinator.Room(ctx, dir, write))
}

// halt returns the error of a cell, after which the run is not over if it can be resumed.
func (g *Group) halt(err error) error {
	if !errors.Is(err, coordinator.ErrHalted) || g.state.Once != "" {
		return err
	}
	g.halted = true
	return fmt.Errorf("%w: %w: `brokerbench resume %s` goes on with it", run.ErrUnfinished, err, g.state.Results)
}

// End tells the agents that the last cell is measured, and removes the state of the run, unless it
// is to be resumed.
func (g *Group) End(ctx context.Context) error {
	if g.halted {
		return nil
	}
	g.launcher.stops() // agents end now, as they are told
	g.coordinator.End(context.WithoutCancel(ctx))
	return g.state.Remove()
}

// Close ends the processes that Start or Resume started.
func (g *Group) Close() {
	g.launcher.end()
	if g.remove != nil && !g.halted { // else agents go on with the coordinator that resumes
		if err := g.remove(); err != nil {
			g.env.Say(err.Error())
		}
	}
	if g.conn != nil {
		g.conn.Close()
	}
	if g.server != nil {
		g.server.Close()
	}
	g.state.Close()
}

// partsPerProcess separates the numbers of parts of a coordinator from those of the process that
// resumes its run: no topic of the interrupted cell gets a name that a later cell uses.
const partsPerProcess = 1_000_000_000

// controlTimeout is how long the control server may take to answer at first.
const controlTimeout = 15 * time.Second
