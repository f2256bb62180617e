//go:build linux

package main

import (
	"fmt"
	"time"
)

// costs are those of a coordinator with so many agents.
type costs struct {
	agents   int
	duration time.Duration // while messages were due

	cpu     time.Duration // of the coordinator, in that time
	read    int64         // bytes from agents, in that time, TLS included
	written int64         // bytes to agents

	results   int64         // bytes from agents in all that came later: the results
	finish    time.Duration // from the last due message to the coordinator's end
	finishCPU time.Duration
	resident  int64 // at most, in bytes
}

var head = []string{
	"agents", "coordinator's CPU while messages are due", "for each agent", "each sends", "each hears", "all send", "memory",
	"a result", "from the last due message to the end", "CPU of that",
}

// row returns the costs as a row of the table.
func (c costs) row() []string {
	seconds, n := c.duration.Seconds(), float64(c.agents)
	cores := c.cpu.Seconds() / seconds
	return []string{
		fmt.Sprint(c.agents),
		fmt.Sprintf("%.3f cores", cores),
		fmt.Sprintf("%.3f %%", 100*cores/n),
		rate(float64(c.read) / seconds / n),
		rate(float64(c.written) / seconds / n),
		rate(float64(c.read) / seconds),
		fmt.Sprintf("%.0f MB", float64(c.resident)/1e6),
		fmt.Sprintf("%.0f kB", float64(c.results)/n/1e3),
		fmt.Sprintf("%.1f s", c.finish.Seconds()),
		fmt.Sprintf("%.1f s", c.finishCPU.Seconds()),
	}
}

// rate writes bytes a second.
func rate(v float64) string {
	if v >= 1e6 {
		return fmt.Sprintf("%.1f MB/s", v/1e6)
	}
	return fmt.Sprintf("%.1f kB/s", v/1e3)
}
