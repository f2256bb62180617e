package run

import (
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/machine/cgroup"
	"github.com/brokerbench/brokerbench/internal/machine/disk"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// memory describes the memory of this machine: if brokerbench starts the nodes, no more than its cgroup may use, as they are
// in the same one.
func memory(nodes measure.Nodes) func() measure.Memory {
	return func() measure.Memory {
		e := machine.Environment()
		m := measure.Memory{Bytes: e.MemoryBytes, PageCache: e.PageCacheBytes}
		if limit, limited := cgroup.Find("/", "memory").MemoryLimit(); limited && areChildren(nodes) {
			m.Bytes = min(m.Bytes, limit)
		}
		return m
	}
}

// areChildren reports whether all nodes that are known to keep data are processes that brokerbench starts itself.
func areChildren(nodes measure.Nodes) bool {
	keeper, ok := nodes.(dataKeeper)
	if !ok {
		return false
	}
	list := keeper.DataNodes()
	return len(list) > 0 && !slices.ContainsFunc(list, func(n plan.Node) bool {
		return len(n.Command) == 0 || n.Container != "" || n.ContainerOptions() > 0
	})
}

// fits returns why the store that a cell wants to be filled does not fit where the target keeps it, as far as that is on this
// machine; nil if it is not known.
func fits(f requester.Factory, cell plan.Cell, o Options) error {
	a, ok := requester.As[requester.Auditor](f)
	need := cell.Shape.UntilStore
	if need == 0 || !ok {
		return nil
	}
	store := a.Store()
	if store.Retention > 0 {
		need = min(need, store.Retention)
	}
	if store.InMemory {
		if free := machine.ReadSystem("/").Memory.MemAvailableBytes; o.Shared && free != nil && need > int64(*free) {
			return tooLarge(need, int64(*free), "memory that are available on this machine, where the target has its store")
		}
		return nil
	}
	keeper, ok := o.Nodes.(dataKeeper)
	if !ok {
		return nil
	}
	for _, n := range keeper.DataNodes() {
		if free, err := disk.Free(n.Data); err == nil && need > free {
			return tooLarge(need, free, fmt.Sprintf("space below %s, the data of node %s", n.Data, n.Name))
		}
	}
	return nil
}

func tooLarge(need, free int64, what string) error {
	const mib = 1 << 20
	return fmt.Errorf("until-store %s is above the %dMiB of %s: name a smaller size, or a retention", words.Size(int(need)), free/mib, what)
}
