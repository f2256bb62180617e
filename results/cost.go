package results

import "github.com/brokerbench/brokerbench/results/internal/total"

// A Cost is the usage of the nodes and of this process in the window, divided by the messages
// that were done. It includes usage that had nothing to do with messages. Unknown values are
// null.
type Cost struct {
	WindowNS int64 `json:"window_ns"` // how long the nodes were sampled
	Messages int64 `json:"messages"`  // done in it

	NodesCores    *float64 `json:"nodes_cores"`                // CPU seconds per second, of all nodes together
	NodesCPUNS    *float64 `json:"nodes_cpu_ns"`               // CPU time of all nodes, per message
	WrittenBytes  *float64 `json:"written_bytes"`              // by all nodes, per message
	ResidentBytes *int64   `json:"resident_bytes" total:"max"` // the most that each node had, added up
	ClientCPUNS   *float64 `json:"client_cpu_ns"`              // CPU time of this process, per message
}

// NewCost returns the cost of the messages that were done in a window, in which this process
// used clientCores; nil if no message was done.
func NewCost(nodes []NodeUsage, windowNS, messages int64, clientCores *float64) *Cost {
	if messages <= 0 || windowNS <= 0 || len(nodes) == 0 {
		return nil
	}
	cpu, written, resident := new(int64), new(int64), new(int64)
	for _, n := range nodes {
		cpu, written, resident = plus(cpu, n.CPUNS), plus(written, n.WrittenBytes), plus(resident, n.ResidentBytes)
	}
	c := &Cost{WindowNS: windowNS, Messages: messages, ResidentBytes: resident}
	c.NodesCores, c.NodesCPUNS = over(cpu, windowNS), over(cpu, messages)
	c.WrittenBytes = over(written, messages)
	if clientCores != nil {
		c.ClientCPUNS = new(*clientCores * float64(windowNS) / float64(messages))
	}
	return c
}

// MeanCost returns the cost of a message over several windows. Each message counts once.
func MeanCost(costs []Cost) *Cost {
	var window, messages int64
	for _, c := range costs {
		window, messages = window+c.WindowNS, messages+c.Messages
	}
	var perTime, perMessage total.Sum[Cost]
	for _, c := range costs {
		perTime.Add(c, float64(c.WindowNS)/float64(window))
		perMessage.Add(c, float64(c.Messages)/float64(messages))
	}
	mean := perMessage.Value()
	mean.NodesCores = perTime.Value().NodesCores
	return &mean
}

// over returns the quotient, unknown if the sum is.
func over(sum *int64, n int64) *float64 {
	if sum == nil {
		return nil
	}
	return new(float64(*sum) / float64(n))
}

// plus returns the sum, unknown if one of the two is.
func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	return new(*a + *b)
}
