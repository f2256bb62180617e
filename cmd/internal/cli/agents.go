package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/agents/coordinator"
	"github.com/brokerbench/brokerbench/internal/agents/group"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// agentsFlags say on which machines a run measures.
type agentsFlags struct {
	group.Options

	where *group.Placement // the checked options; nil: this process measures
}

func (a *agentsFlags) define(f *pflag.FlagSet) {
	f.StringVar(&a.Agents, "agents", "", "measure on these `AGENTS` in place of this process: local:3, ssh://h1,ssh://h2, wait:3, or k8s:3")
	f.StringVar(&a.Context, "context", "", "kubectl's context, with --agents k8s:N")
	f.StringVar(&a.Binary, "agents-binary", "", "the `PROGRAM` that is copied to the hosts of --agents ssh://… and of nodes, for hosts of another system (default: this one)")
	f.StringVar(&a.Control, "control", "", "the `URL` by which agents reach this process: nats://… or tls://… is a NATS server of yours, listen://HOST:PORT a server of brokerbench's own there (default: one on this machine)")
	command.DefineChoice(f, &a.OnLoss, "on-loss", "", "when an agent is lost in a cell: ", []string{"retry", "keep"})
	f.DurationVar(&a.MaxSkew, "max-skew", 0, "refuse agents whose clock is not known as well as this, and doubt cells that they begin further apart (default: half of each agent's round trip)")
	f.DurationVar(&a.Lease, "lease", coordinator.DefaultLease, "for how long an agent may not be heard of: at least twice the outage to be survived")
	f.DurationVar(&a.Wait, "agents-wait", coordinator.DefaultWait, "how long to wait for agents that are not there")
}

// place checks whether the agents that the flags name can measure some plans. Without --agents
// this process measures.
func (a *agentsFlags) place(known testbed.Targets, plans ...plan.Plan) error {
	if a.Agents == "" && (a.Control != "" || a.Context != "") {
		return command.Usage(errors.New("--control and --context go with --agents"))
	}
	if a.Binary != "" && !strings.HasPrefix(a.Agents, "ssh:") && !slices.ContainsFunc(plans, testbed.Remote) {
		return command.Usage(errors.New("--agents-binary goes with --agents ssh://HOST, and with nodes on ssh://HOST"))
	}
	if a.Agents != "" {
		where, err := a.Parse()
		if err != nil {
			return command.Usage(err)
		}
		a.where = &where
	}
	var errs []error
	for _, p := range plans {
		if a.where != nil {
			errs = append(errs, checkSteady(p), a.where.Check(p.Cells()), checkNear(*a.where, p), a.checkTargets(known, p.Targets, *a.where))
		}
		errs = append(errs, a.checkEcho(p))
	}
	return command.Usage(errors.Join(errs...))
}

// checkSteady refuses rates that change, whose sections agents do not add up yet.
func checkSteady(p plan.Plan) error {
	for _, s := range p.Shapes {
		if s.Changes != "" {
			return fmt.Errorf("rate %s: agents cannot share a rate that changes yet: leave out --agents", s.RateText())
		}
	}
	return nil
}

// share returns into how many parts this machine's processes divide the connections; 0 if agents
// elsewhere have them.
func (a *agentsFlags) share() int {
	switch {
	case a.where == nil:
		return 1
	case a.where.Kind == group.Local:
		return a.where.N
	}
	return 0
}

// checkNear rejects targets that only agents on this machine can measure: the systems that
// brokerbench starts, and the relays that break the network, are on its loopback.
func checkNear(where group.Placement, of plan.Plan) error {
	var errs []error
	if where.Kind == group.Local {
		return nil
	}
	for _, f := range of.Settings.Faults {
		if f.Network() {
			errs = append(errs, fmt.Errorf("fault %v: the relay that breaks the network is on this machine, where agents elsewhere do not go: want --agents local:N", f))
		}
	}
	for _, t := range of.Targets {
		if where.Kind != group.Wait && testbed.IsLocal(t.URL) {
			errs = append(errs, fmt.Errorf("target %s is started on this machine, where agents elsewhere do not reach it: want --agents local:N", t.Name))
		}
	}
	return errors.Join(errs...)
}

// checkEcho rejects plans whose echo the agents cannot be.
func (a *agentsFlags) checkEcho(of plan.Plan) error {
	if of.Settings.Echo != plan.EchoAgent {
		return nil
	}
	switch {
	case a.where == nil:
		return errors.New("--echo agent needs --agents: want --echo process, or two agents at least")
	case a.where.N < 2:
		return errors.New("--echo agent needs two agents at least: one sends back what the other sends")
	case a.OnLoss == "keep":
		return errors.New("--echo agent does not go with --on-loss keep: with an agent the echo of another is lost")
	}
	return nil
}

// start returns when all agents are there; nil if this process measures. once is why the run cannot
// be resumed; "" if it can.
func (a *agentsFlags) start(ctx context.Context, s command.Streams, p plan.Plan, once string) (*onAgents, error) {
	if a.where == nil {
		return nil, nil
	}
	if once == "" && (len(p.Settings.Faults) > 0 || testbed.Started(p)) {
		once = "its started systems and its faults ended with it"
	}
	process, shows := env(s)
	started, err := group.Start(ctx, process, a.Options, p, once)
	if err != nil {
		return nil, err
	}
	return &onAgents{started, shows}, nil
}

// onAgents is a run that agents measure; nil: this process measures it.
type onAgents struct {
	*group.Group

	shown *agentsProgress
}

// env returns this process as coordinator, and what shows its progress.
func env(s command.Streams) (group.Env, *agentsProgress) {
	shown := new(agentsProgress)
	variable := func(name string) string {
		value, _ := command.Lookup(s.Environ)(name)
		return value
	}
	return group.Env{
		Version: machine.Version(), Variable: variable, Redact: brokers.Redact, GiveUp: s.GiveUp, Progress: shown.show,
		Say: func(text string) { fmt.Fprintln(s.Err, brokers.Redact(text)) },
	}, shown
}

// begin lets the agents measure the cells of a run.
func (a *onAgents) begin(m *measuring) error {
	if a == nil {
		return nil
	}
	m.ID, m.Room = a.Run(), a.Room
	a.shown.n, a.shown.view = a.Agents(), m.progress
	m.Agents = func(ctx context.Context, cell plan.Cell, folder *results.CellFolder, d *run.CellDriver) (*results.Cell, error) {
		there, via, err := m.bed.Elsewhere(cell.Target)
		if err != nil {
			return nil, err
		}
		return a.Measure(ctx, cell, there, via, folder, d)
	}
	return a.Begun(m.Store.Dir())
}

// over tells the agents that the last cell is measured.
func (a *onAgents) over(ctx context.Context) error {
	if a == nil {
		return nil
	}
	return a.End(ctx)
}

// stop ends what start started.
func (a *onAgents) stop() {
	if a != nil {
		a.Close()
	}
}

// withoutAgents returns the error of a run with its exit code: cells that were not measured for
// want of agents are results without numbers.
func withoutAgents(err error) error {
	if errors.Is(err, group.ErrLost) && command.ExitCode(err) == command.ExitError {
		return command.Fail(command.ExitInvalid, err)
	}
	return err
}
