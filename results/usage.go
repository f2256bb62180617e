package results

import "github.com/brokerbench/brokerbench/results/internal/usage"

// These hold the resources that a process and its machine used.
type (
	// A Usage is the usage of this process and its machine in one interval of the log, or in a
	// window.
	Usage = usage.Usage
	// A ProcessUsage holds the operating system's counts of this process.
	ProcessUsage = usage.Process
	// A GoUsage holds the counts of Go's runtime.
	GoUsage = usage.Go
	// A MachineUsage is the usage of the whole machine, including this process.
	MachineUsage = usage.Machine
	// A CPUUsage is the usage of some CPUs.
	CPUUsage = usage.CPUs
)

// Resources is the content of resources.json: the usage of the process and the machine in each
// interval of intervals.hlog, in order.
type Resources struct {
	Schema    string  `json:"schema"` // ResourcesSchema
	Intervals []Usage `json:"intervals"`
}

// TotalUsage sums up consecutive intervals into the window from the start of the first to the end of
// the last. Without intervals it returns the zero value.
func TotalUsage(intervals []Usage) Usage { return usage.Total(intervals) }
