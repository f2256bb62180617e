package testbed

import (
	"errors"
	"io"

	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// wings are the parts of brokerbench that can be deleted. The zero value has none of them.
type wings struct {
	systems systemsWing
	faults  faultsWing
}

// linked returns the wings that this program has. A wing is deleted with its folder, the files
// that wire it, and the lines that end with its name.
func linked() (w wings) {
	w.systems = linkSystems() // internal/systems
	w.faults = linkFaults()   // internal/faults
	return w
}

// A systemsWing starts brokers.
type systemsWing struct {
	New   func(b *Testbed) systems
	Serve serve
	// Parse reads the URL of a broker that brokerbench starts, and returns the URL of one at its
	// usual port.
	Parse func(url string) (broker, usual string, err error)
	// System returns how such a target will run, as far as that is known before it is started.
	System func(url string) plan.System
	// Addressed returns the system of a plan's target with the addresses of its nodes.
	Addressed func(t Targets, of plan.Target) plan.System
	// Fillable returns why the disks of such a target cannot be filled.
	Fillable func(url string) error
	// Networked reports whether such a target needs a separate network.
	Networked func(url string) bool
	// Starts reports whether a target only runs once it was started.
	Starts func(t plan.Target) bool
}

// A faultsWing makes faults happen.
type faultsWing struct {
	New    func(b *Testbed) injection
	Serve  serve
	OfPart func(cell plan.Cell, part schedule.Part, giveUp <-chan struct{}) (run.FaultDriver, error)
	// Check returns why a fault cannot happen to a target, or must not.
	Check        func(t Targets, f plan.Fault, of plan.Target, allow bool) error
	CheckNetwork func() error // returns why this machine cannot have networks
}

// serve runs this process as a child if args, without the program's name, are those of one.
type serve func(args []string, in io.Reader, out io.Writer) (isChild bool, err error)

// The errors of a program without a wing.
var (
	errNoSystems = errors.New("this program was built without what starts brokers")
	errNoFaults  = errors.New("this program was built without faults")
)

// Serve runs this process as a child if args, without the program's name, are those of one. It
// then returns when in ends.
func Serve(args []string, in io.Reader, out io.Writer) (isChild bool, err error) {
	w := linked()
	for _, s := range []serve{w.systems.Serve, w.faults.Serve, child.Serve} {
		if s == nil {
			continue
		}
		if isChild, err = s(args, in, out); isChild || err != nil {
			return isChild, err
		}
	}
	return false, nil
}
