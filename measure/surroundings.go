package measure

import (
	"runtime"
	"time"

	"github.com/brokerbench/brokerbench/machine"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester/load"
)

// surroundings are what a cell and its verdict depend on besides what is measured.
type surroundings struct {
	shared bool          // the target is on this machine
	system string        // such as linux
	clock  string        // the kernel's clock source; "" if the system does not tell
	step   time.Duration // by how much the clock moves at least; 0: not known
	cores  float64       // that this process can use
	spin   time.Duration // the sender's
}

// newSurroundings looks around before a cell is measured.
func newSurroundings(cell plan.Cell, shared bool) surroundings {
	senders := min(max(cell.Settings.Senders, 1), max(cell.Shape.Connections, 1))
	s := surroundings{
		shared: shared, system: runtime.GOOS, clock: clockSource(), step: machine.ClockStep(), cores: machine.ReadCores().Usable(senders),
	}
	window, fixed := cell.Settings.Spin.Window()
	if !fixed {
		window = load.DefaultSpin(cell.Shape.Rate, senders, s.cores)
	}
	s.spin = max(window, load.LeastSpin)
	return s
}
