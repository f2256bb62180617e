package doctor

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// bandwidth is how much CPU the cgroups let us have: our own and those around it,
// since a quota on any of them stops us.
type bandwidth struct {
	known     bool    // some group tells of its quota
	limited   bool    // and has one
	cores     float64 // the smallest
	stops     int64   // how often a quota ran out since its group was made, of all groups
	stopsTold bool
}

func readBandwidth(root fs.FS) (b bandwidth) {
	folders, unified := ownGroups(root, "cpu")
	for _, folder := range folders {
		cores, limited, known := groupQuota(root, folder, unified)
		b.known = b.known || known
		if limited && (!b.limited || cores < b.cores) {
			b.limited, b.cores = true, cores
		}
		n, told := throttled(root, folder)
		b.stops += n
		b.stopsTold = b.stopsTold || told
	}
	return b
}

// quota judges the CPU quota, and whether it ran out between two looks. What was
// before is told, not judged: nobody can undo it.
func quota(before, after bandwidth) []Finding {
	remedy := "lift the quota (docker --cpus, systemd CPUQuota=, kubernetes limits.cpu), or raise it to whole cores"
	first, second := unknown("CPU quota", "no cgroup with a CPU controller"), unknown("throttling", "the system does not tell")
	switch {
	case after.limited:
		first = judge("CPU quota", fmt.Sprintf("%.2f cores", after.cores), false, remedy)
	case after.known:
		first = good("CPU quota", noQuota)
	}
	if before.stopsTold && after.stopsTold {
		n := after.stops - before.stops
		value := fmt.Sprintf("%d times meanwhile, %d before", n, before.stops)
		second = judge("throttling", value, n == 0, remedy)
	}
	return []Finding{first, second}
}

const noQuota = "none"

// groupQuota returns how many cores one group may use; known tells whether it says
// so, or that there is no quota.
func groupQuota(root fs.FS, folder string, unified bool) (cores float64, limited, known bool) {
	if unified {
		maximum, _ := line(root, path.Join(folder, "cpu.max"))
		fields := strings.Fields(maximum)
		if len(fields) != 2 {
			return 0, false, false
		}
		return inCores(fields[0], fields[1])
	}
	quota, _ := line(root, path.Join(folder, "cpu.cfs_quota_us"))
	period, _ := line(root, path.Join(folder, "cpu.cfs_period_us"))
	return inCores(quota, period)
}

// inCores reads a quota and its period, of either version: "max" and -1 are none.
func inCores(quota, period string) (cores float64, limited, known bool) {
	if quota == "max" || quota == "-1" {
		return 0, false, true
	}
	q, err1 := strconv.ParseUint(quota, 10, 64)
	p, err2 := strconv.ParseUint(period, 10, 64)
	if err1 != nil || err2 != nil || p == 0 {
		return 0, false, false
	}
	return float64(q) / float64(p), true, true
}

// throttled reads how often the quota of one group ran out.
func throttled(root fs.FS, folder string) (n int64, known bool) {
	return counter(root, path.Join(folder, "cpu.stat"), "nr_throttled")
}
