// Package testbed holds what a plan is measured on: its targets, the systems behind them, and the
// faults that happen to them. Systems, faults and agents are wings. One is deleted with its folder,
// the files that wire it, and the lines that end with its name.
package testbed

import (
	"context"
	"errors"
	"io"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/internal/causes/sample"
	"github.com/brokerbench/brokerbench/internal/leaf/ssh"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// Options say what a testbed is made for.
type Options struct {
	Targets    Targets
	Faults     []plan.Fault      // of the run
	Results    string            // the folder of results, whose disk is never filled
	Say        func(text string) // of what takes a while
	StartFound bool              // nodes of others that do not run may be started
	GiveUp     <-chan struct{}   // see [run.Runner]
	// SSH returns the program that runs nodes on other machines. It is called more than once.
	SSH func() (*ssh.Program, error)
}

// A Testbed starts the systems of a run, opens its targets and makes its faults happen. It is used
// from one goroutine. The caller calls Close.
type Testbed struct {
	Options

	starter  *starter  // internal/systems
	injector *injector // internal/faults
}

// New returns a testbed. It starts nothing.
func New(o Options) *Testbed {
	b := &Testbed{Options: o}
	b.starter = &starter{bed: b}   // internal/systems
	b.injector = &injector{bed: b} // internal/faults
	return b
}

// Fill sets what a runner has from its testbed.
func (b *Testbed) Fill(r *run.Runner) {
	r.Echo, r.Shared, r.Observer, r.Causes = b.Targets.echo, b.Targets.Shared, NewObserver, newCauses
	r.Open = func(t plan.Target, run string) (requester.Factory, error) { return b.Targets.Parsed[t.URL].Open(run) }
	r.Systems = b.starter                                 // internal/systems
	r.Open, r.Faults = b.injector.Open, b.injector.Driver // internal/faults
}

// Reach returns why machines cannot be reached on which nodes of the plan run. The program is there
// then.
func (b *Testbed) Reach(ctx context.Context, p plan.Plan) (err error) {
	err = b.starter.reach(ctx, p) // internal/systems
	return err
}

// Elsewhere returns a target as another process on this machine reaches it, and where its
// addresses are dialled. Its system is started.
func (b *Testbed) Elsewhere(t plan.Target) (_ plan.Target, via map[string]string, err error) {
	via, err = b.injector.Via(t) // internal/faults
	t.URL = b.starter.URL(t)     // internal/systems
	t.System = nil               // it is for this process alone
	return t, via, err
}

// Close ends everything that the testbed started.
func (b *Testbed) Close() error {
	var errs []error
	errs = append(errs, b.injector.Close()) // internal/faults
	errs = append(errs, b.starter.Close())  // internal/systems
	return errors.Join(errs...)
}

// NewObserver returns what samples this process and its machine.
func NewObserver() measure.Observer { return machine.NewSampler() }

// newCauses returns what samples possible causes of slow messages.
func newCauses(nodes measure.Nodes) measure.Causes {
	families, _ := nodes.(sample.Nodes) // nil: they are not known
	return sample.New(families)
}

// wings are what the targets of a plan need of wings before a testbed is made. A function of a
// wing that this program lacks is nil.
type wings struct {
	// parseLocal reads the URL of a broker that brokerbench starts, and returns the URL of one at
	// its usual port.
	parseLocal func(url string) (usual string, of readyMade, err error)
	// checkFault returns why a fault cannot happen to a target, or must not.
	checkFault   func(t Targets, f plan.Fault, of plan.Target, allow bool) error
	checkNetwork func() error // returns why this machine cannot have networks
	serve        []serve
	sweep        func(dry bool) ([]Undone, error) // see [Sweep]
}

// serve runs this process as a child if args, without the program's name, are those of one.
type serve func(args []string, in io.Reader, out io.Writer) (isChild bool, err error)

// linked returns the wings that this program has.
func linked() wings {
	w := wings{serve: []serve{child.Serve}}
	linkSystems(&w) // internal/systems
	linkFaults(&w)  // internal/faults
	return w
}

// The errors of a program without a wing.
var (
	errNoSystems = errors.New("this program was built without what starts brokers")
	errNoFaults  = errors.New("this program was built without faults")
)

// Serve runs this process as a child if args, without the program's name, are those of one. It
// then returns when in ends. The target of an echo is one of the known brokers.
func Serve(args []string, in io.Reader, out io.Writer, known brokers.Table) (isChild bool, err error) {
	echo := func(args []string, in io.Reader, out io.Writer) (bool, error) {
		return child.ServeEcho(args, in, out, opener(known))
	}
	for _, s := range append(linked().serve, echo, brokers.Serve) {
		if isChild, err = s(args, in, out); isChild || err != nil {
			return isChild, err
		}
	}
	return false, nil
}
