package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/cluster/agent"
	"github.com/brokerbench/brokerbench/cluster/wire"
	"github.com/brokerbench/brokerbench/cmd/internal/child"
	"github.com/brokerbench/brokerbench/machine"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// checkEcho refuses targets of which no echo is possible.
func (t targets) checkEcho(p plan.Plan) error {
	if p.Settings.Echo == "" {
		return nil
	}
	errs := []error{p.Validate()} // sizes and faults do not go with every echo
	for _, one := range p.Targets {
		if err := t.mayEcho(one); err != nil {
			errs = append(errs, fmt.Errorf("target %s: %w (leave out --echo)", one.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (t targets) mayEcho(one plan.Target) error {
	parsed := t.parsed[one.URL]
	f, err := parsed.Open("check")
	if err != nil {
		return err
	}
	crosser, ok := f.(requester.Crosser)
	if !ok {
		return fmt.Errorf("an echo is not possible with %s yet: a connection receives only what it sends itself", parsed.Broker.Name)
	}
	return crosser.Cross(requester.Echo)
}

// open opens a target for a child.
func (s Streams) open(url, run string) (requester.Factory, error) {
	parsed, err := s.Brokers.Parse(url)
	if err != nil {
		return nil, err
	}
	return parsed.Open(run)
}

// echo implements measure.Runner.Echo.
func (t targets) echo(cell plan.Cell, run string) (measure.Echo, error) {
	if cell.Settings.Echo == plan.EchoAgent {
		return nil, errors.New("--echo agent needs run --agents")
	}
	return &echoProcess{cfg: t.echoConfig(cell, run)}, nil
}

func (t targets) echoConfig(cell plan.Cell, run string) child.EchoConfig {
	return child.EchoConfig{
		URL: t.parsed[cell.Target.URL].URL(), Run: run, Connections: cell.Shape.Connections, Size: cell.Shape.Size,
	}
}

// echoOfPart returns who sends back what an agent sends; nil without an echo.
func (t targets) echoOfPart(task wire.Task, part schedule.Share, hooks agent.Hooks) (measure.Echo, error) {
	if task.Cell.Settings.Echo == "" {
		return nil, nil
	}
	run := task.Run
	if n := task.Echo; n != nil {
		run, part.Index = n.Run, n.Index
	}
	cell, err := task.Cell.Part(part)
	if err != nil {
		return nil, err
	}
	e := &echoProcess{cfg: t.echoConfig(cell, run)}
	if task.Echo == nil {
		return e, nil
	}
	return &echoNeighbour{echoProcess: e, hooks: hooks}, nil
}

// An echoProcess is a child that sends back. It implements measure.Echo.
type echoProcess struct {
	cfg   child.EchoConfig
	child *child.Echo // nil before Open
}

// Open implements measure.Echo.
func (e *echoProcess) Open(ctx context.Context) (opened measure.EchoOpened, err error) {
	if e.child, err = child.StartEcho(ctx, e.cfg); err != nil {
		return opened, err
	}
	host, ok := machine.NewHostClock()
	if !ok || !e.child.Clocks {
		return opened, nil
	}
	return measure.EchoOpened{Clock: host.At, Known: &results.EchoClock{Source: "one machine: both read CLOCK_MONOTONIC"}}, nil
}

// Started implements measure.Echo.
func (e *echoProcess) Started() { e.child.Begin() }

// Report implements measure.Echo.
func (e *echoProcess) Report() measure.EchoReport {
	said, err := e.child.Report()
	r := measure.EchoReport{Echo: results.Echo{Kind: string(plan.EchoProcess)}}
	if err != nil {
		r.Lost = err.Error()
		return r
	}
	r.Received, r.Failed, r.Cause, r.Busy, r.CPUCores = said.Received, said.Failed, said.Cause, said.Busy, said.Cores
	r.Handling, r.Hiccup = said.Handling, said.Hiccup
	return r
}

// Close implements measure.Echo.
func (e *echoProcess) Close() []string {
	if e.child == nil {
		return nil
	}
	return e.child.Stop()
}

// An echoNeighbour sends back what the next agent sends, while another agent sends back what this
// one does. It implements measure.Echo: what it reports is what it did itself.
type echoNeighbour struct {
	*echoProcess

	hooks agent.Hooks
	known *results.EchoClock // nil if a clock is not known
}

// neighbourWait is how long the other agents may take to be ready to send back.
const neighbourWait = 45 * time.Second

// Open implements measure.Echo.
func (e *echoNeighbour) Open(ctx context.Context) (measure.EchoOpened, error) {
	opened, err := e.echoProcess.Open(ctx)
	if err != nil {
		return opened, err
	}
	e.hooks.Keep(func() { e.child.Stop() }) // the other agent may not be done when this one is
	opened.Wait = neighbourWait
	if opened.Clock == nil {
		return opened, nil
	}
	e.known = &results.EchoClock{Source: "two machines: compared through the coordinator; " + machine.TimeSync(ctx)}
	opened.Known = e.known
	opened.Clock = func(time.Time) int64 { return int64(e.hooks.Echo().At) }
	return opened, nil
}

// Report implements measure.Echo.
func (e *echoNeighbour) Report() measure.EchoReport {
	if e.known != nil {
		e.known.BoundNS = int64(e.hooks.Echo().Bound)
	}
	r := e.echoProcess.Report()
	r.Kind = string(plan.EchoAgent)
	return r
}

// Close implements measure.Echo: it ends with the task, see Open.
func (*echoNeighbour) Close() []string { return nil }
