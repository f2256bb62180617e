package nodes

import "github.com/brokerbench/brokerbench/internal/leaf/process"

// Families returns the nodes on this machine with their processes. It calls pause, which waits for a moment, between
// two things that it reads. Before the first call of Sample nothing is known of nodes that a tool runs. It
// implements sample.Nodes.
func (s *System) Families(pause func()) (list []process.Node) {
	tree := process.NewTree(pause)
	for i, n := range s.Nodes {
		if !n.way.here() {
			continue
		}
		one := process.Node{Name: n.Name, Log: n.Log, Data: n.Data}
		if i < len(s.sampler.nodes) {
			one.IDs = tree.Family(s.sampler.nodes[i].first(n, true))
		}
		list = append(list, one)
	}
	return list
}
