package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cluster/control"
	"github.com/brokerbench/brokerbench/cluster/coordinator"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A group is the agents of a run, and what it takes to coordinate them.
type group struct {
	s     Streams
	o     agentsFlags
	where placement
	state *runState

	server      *control.Server // nil: the control server is somebody else's
	conn        *nats.Conn
	coordinator *coordinator.Coordinator

	launcher *launcher
	remove   func() error // removes what place made elsewhere; nil: nothing
	shown    *agentsProgress
}

// startGroup starts the control server, and the agents where they are to be, for a plan of
// which once says why it cannot be gone on with; "" if it can. The caller calls over, and
// close, or never if nothing was measured.
func startGroup(ctx context.Context, s Streams, o agentsFlags, p plan.Plan, once string) (g *group, err error) {
	g = newGroup(s, o)
	if g.state, err = newRunState(s, o, p, once); err != nil {
		return nil, err
	}
	if err := g.open(ctx, false); err != nil {
		g.close()
		return nil, errors.Join(err, g.state.remove())
	}
	return g, nil
}

// newGroup returns a group without a state.
func newGroup(s Streams, o agentsFlags) *group {
	g := &group{s: s, o: o, where: *o.where, shown: &agentsProgress{s: s, n: o.where.n}}
	g.launcher = newLauncher(o.lease, func(agent, why string) { g.coordinator.Gone(agent, why) }, g.say)
	return g
}

// open starts or finds the control server, connects to it, and places the agents.
func (g *group) open(ctx context.Context, resumed bool) (err error) {
	link := control.Link{URL: g.state.URL, Name: "brokerbench coordinator"}
	if g.state.Own {
		if g.server, err = control.Serve(g.state.Run, g.state.Host, g.state.Port, g.state.streams(), g.state.Secrets); err != nil {
			return err
		}
		if err := g.state.listens(g.server.Port()); err != nil {
			return err
		}
		link.URL, link.SHA256, link.Seed = g.state.local(), g.state.Secrets.SHA256(), g.state.Secrets.Seed
	}
	if g.conn, err = control.Dial(link, controlTimeout); err != nil {
		return err
	}
	g.coordinator, err = coordinator.New(ctx, coordinator.Config{
		Run: g.state.Run, Agents: g.where.names(), Version: measure.Version(), Conn: g.conn, Resumed: resumed, GiveUp: g.s.GiveUp,
		Lease: g.o.lease, MaxSkew: g.o.maxSkew, Keep: g.o.onLoss == "keep", Wait: g.o.wait, Say: g.say, Progress: g.shown.show,
	})
	if err != nil {
		return err
	}
	return g.place(ctx)
}

// controlTimeout is how long the control server may take to answer at first.
const controlTimeout = 15 * time.Second

// say tells the user something, which may quote what an agent said of a target.
func (g *group) say(text string) { fmt.Fprintln(g.s.Err, brokers.Redact(text)) }

// never ends a run that did not begin: agents need not wait, and its secrets are not kept.
func (g *group) never(ctx context.Context, why error) error {
	err := errors.Join(why, g.over(ctx))
	g.close()
	return err
}

// attach lets agents measure the cells of a run.
func (g *group) attach(m *measuring) {
	m.agents, g.shown.view = g, m.progress
	m.ID, m.Agents = g.state.Run, func(ctx context.Context, cell plan.Cell, id string, folder *results.CellFolder, with *measure.Attendant) ([]measure.Part, time.Time, error) {
		return g.measure(ctx, m, cell, id, folder, with)
	}
}

// measure measures a cell on the agents.
func (g *group) measure(
	ctx context.Context, m *measuring, cell plan.Cell, id string, folder *results.CellFolder, with *measure.Attendant,
) (parts []measure.Part, start time.Time, err error) {
	b := coordinator.Beside{Attendant: with}
	if cell.Target, b.Via, err = m.breaking.elsewhere(cell.Target); err != nil {
		return nil, start, err
	}
	return g.coordinator.MeasureWith(ctx, cell, id, folder, b)
}

// over tells the agents that the last cell is measured, unless another coordinator has gone on
// with the run. A nil group has none.
func (g *group) over(ctx context.Context) error {
	if g == nil {
		return nil
	}
	g.launcher.stops() // agents end now, as they are told
	if err := g.coordinator.End(context.WithoutCancel(ctx)); errors.Is(err, measure.ErrTaken) {
		g.remove = nil
		return nil // the cell said it; the state and the agents are the other coordinator's
	}
	return g.state.remove()
}

// lostAgents gives the error of cells that were not measured for want of agents its exit
// code: they are results without numbers.
func lostAgents(err error) error {
	if errors.Is(err, coordinator.ErrLost) && exitCode(err) == exitError {
		return failure{exitInvalid, err}
	}
	return err
}

// close ends what open started. A nil group started nothing.
func (g *group) close() {
	if g == nil {
		return
	}
	g.launcher.end()
	if g.remove != nil {
		if err := g.remove(); err != nil {
			g.say(err.Error())
		}
	}
	if g.conn != nil {
		g.conn.Close()
	}
	if g.server != nil {
		g.server.Close()
	}
	g.state.release()
}
