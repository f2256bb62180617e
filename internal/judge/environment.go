package judge

import (
	"runtime"
	"time"

	"github.com/brokerbench/brokerbench/internal/machine"
)

// An Environment is what a verdict depends on besides the numbers.
type Environment struct {
	Shared bool          // the target is on this machine
	OS     string        // such as linux
	Clock  string        // the kernel's clock source; "" if unknown
	Step   time.Duration // the resolution of the clock; 0: unknown
}

// Here returns the environment of this process. Shared says that the target is on this machine.
func Here(shared bool) Environment {
	return Environment{Shared: shared, OS: runtime.GOOS, Clock: machine.ClockSource(), Step: machine.ClockStep()}
}
