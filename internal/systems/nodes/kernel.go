package nodes

import (
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/machine"
)

// Kernel returns the releases of the kernels below the nodes, each once, such as "6.1.0, 6.8.0"; "" if one is
// unknown. Those of other machines are known after Start.
func (s *System) Kernel() string {
	var found []string
	for _, n := range s.Nodes {
		release := n.kernel()
		if release == "" {
			return ""
		}
		if !slices.Contains(found, release) {
			found = append(found, release)
		}
	}
	return strings.Join(found, ", ")
}

func (n *Node) kernel() string {
	if far, ok := n.way.(remote); ok {
		far.mu.Lock()
		defer far.mu.Unlock()
		return far.kernel
	}
	if !n.way.here() {
		return ""
	}
	return machine.ReadSystem("/").Release
}
