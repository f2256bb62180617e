//go:build !linux

package traffic

import "github.com/brokerbench/brokerbench/internal/process"

// Count returns what the connections of each node's processes have carried since the last call,
// nil for a node of which it cannot be seen: here, for all.
func (*Watch) Count(nodes [][]process.ID, _ func()) []*Bytes { return make([]*Bytes, len(nodes)) }
