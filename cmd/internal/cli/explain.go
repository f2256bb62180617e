package cli

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/brokerbench/brokerbench/internal/machine/doctor"
	"github.com/brokerbench/brokerbench/plan"
)

// explain implements run.Runner.Explain. It names the remedy for what brokers do
// not know: how many files all connections of a cell need.
func (o *measureOptions) explain(cell plan.Cell, err error) error {
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
		return err
	}
	need := doctor.Needs{Connections: cell.Shape.Connections, Sockets: o.plan.Targets.Sockets([]plan.Target{cell.Target})}
	return fmt.Errorf("%w (%d connections need some %d open files: ulimit -n %[3]d, LimitNOFILE= of the service, or fewer connections)",
		err, cell.Shape.Connections, need.Files())
}
