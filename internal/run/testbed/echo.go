package testbed

import (
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// checkEcho rejects targets that do not support an echo.
func (t Targets) checkEcho(p plan.Plan) error {
	if p.Settings.Echo == "" {
		return nil
	}
	var errs []error
	for _, one := range p.Targets {
		if err := t.mayEcho(one); err != nil {
			errs = append(errs, fmt.Errorf("target %s: %w (leave out --echo)", one.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (t Targets) mayEcho(one plan.Target) error {
	parsed := t.Parsed[one.URL]
	f, err := parsed.Open("check")
	if err != nil {
		return err
	}
	echoer, ok := requester.As[requester.Echoer](f)
	if !ok {
		return fmt.Errorf("an echo is not possible with %s yet: a connection receives only what it sends itself", parsed.Broker.Name)
	}
	return echoer.TakeSide(requester.Echo)
}

// opener returns what opens a target in a child.
func opener(known brokers.Table) child.Opener {
	return func(url, run string) (requester.Factory, error) {
		parsed, err := known.Parse(url)
		if err != nil {
			return nil, err
		}
		return parsed.Open(run)
	}
}

// echo implements run.Runner.Echo.
func (t Targets) echo(cell plan.Cell, run string) (measure.Echo, error) {
	if cell.Settings.Echo == plan.EchoAgent {
		return nil, errors.New("--echo agent needs run --agents")
	}
	return &child.Echo{EchoConfig: t.echoConfig(cell, run)}, nil
}

func (t Targets) echoConfig(cell plan.Cell, run string) child.EchoConfig {
	return child.EchoConfig{
		URL: t.Parsed[cell.Target.URL].URL(), Run: run, Connections: cell.Shape.Connections, Size: cell.Shape.Largest(),
	}
}
