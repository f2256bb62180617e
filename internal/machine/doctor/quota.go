package doctor

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/machine/cgroup"
)

// bandwidth is how much CPU the cgroups allow.
type bandwidth struct {
	cores          float64 // the smallest quota
	limited, known bool    // there is a quota; it is known whether there is one
	stops          int64   // how often a quota ran out since its group was made
	stopsKnown     bool
}

func readBandwidth(s machine.System) (b bandwidth) {
	group := cgroup.Find(s.Root, "cpu")
	b.cores, b.limited, b.known = group.Quota()
	b.stops, b.stopsKnown = group.Stops()
	return b
}

// quota judges the CPU quota, and whether it ran out between the two readings.
// Throttling before the first reading is listed, not judged: it cannot be undone.
func quota(before, after bandwidth) []Finding {
	remedy := "lift the quota (docker --cpus, systemd CPUQuota=, kubernetes limits.cpu), or raise it to whole cores"
	first, second := unknown("CPU quota", "no cgroup with a CPU controller"), unknown("throttling", "the system does not tell")
	switch {
	case after.limited:
		first = judge("CPU quota", fmt.Sprintf("%.2f cores", after.cores), false, remedy)
	case after.known:
		first = good("CPU quota", "none")
	}
	if before.stopsKnown && after.stopsKnown {
		n := after.stops - before.stops
		value := fmt.Sprintf("%d times meanwhile, %d before", n, before.stops)
		second = judge("throttling", value, n == 0, remedy)
	}
	return []Finding{first, second}
}
