package cgroup

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Throttled returns for how long CPU quotas stopped cores that this process wanted,
// since its groups were made: added up over the cores, as the kernel does, and over
// all groups, since a quota on any of them stops this process. It is 0 where no group
// has a quota, and unknown if this process's own group is not visible.
func (g Group) Throttled() (d time.Duration, known bool) {
	name, unit := "throttled_time", time.Nanosecond
	if g.unified {
		name, unit = "throttled_usec", time.Microsecond
	}
	_, limited, _ := g.Quota()
	known = g.own && !limited // nothing can stop us
	for _, folder := range g.folders {
		n, ok := counter(folder, "cpu.stat", name)
		if d += time.Duration(n) * unit; n > math.MaxInt64>>4/int64(unit) || d < 0 {
			return 0, false
		}
		known = known || ok && g.own
	}
	return d, known
}

// Stops returns how often a CPU quota ran out since its group was made, added up
// over all groups: a quota on any of them stops this process.
func (g Group) Stops() (n int64, known bool) {
	for _, folder := range g.folders {
		here, ok := counter(folder, "cpu.stat", "nr_throttled")
		n, known = n+here, known || ok
	}
	return n, known
}

// Quota returns how many cores the smallest CPU quota of all groups allows. known
// tells whether a group shows its quota, which may be none.
func (g Group) Quota() (cores float64, limited, known bool) {
	for _, folder := range g.folders {
		here, has, ok := g.quota(folder)
		known = known || ok
		if has && (!limited || here < cores) {
			cores, limited = here, true
		}
	}
	return cores, limited, known
}

func (g Group) quota(folder string) (cores float64, limited, known bool) {
	if !g.unified {
		return inCores(line(folder, "cpu.cfs_quota_us"), line(folder, "cpu.cfs_period_us"))
	}
	fields := strings.Fields(line(folder, "cpu.max"))
	if len(fields) != 2 {
		return 0, false, false
	}
	return inCores(fields[0], fields[1])
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

// MemoryLimit returns the smallest memory limit of all groups, in bytes. Cached files count.
func (g Group) MemoryLimit() (limit int64, limited bool) {
	for _, folder := range g.folders {
		if here, ok := g.memoryLimit(folder); ok && (!limited || here < limit) {
			limit, limited = here, true
		}
	}
	return limit, limited
}

func (g Group) memoryLimit(folder string) (limit int64, limited bool) {
	file := "memory.limit_in_bytes"
	if g.unified {
		file = "memory.max"
	}
	limit, ok := number(folder, file) // "max" is no number
	return limit, ok && limit < 1<<60 // version 1 writes about 2^63 for none
}

// MemoryLeft returns how many bytes the memory limits of all groups leave before
// the kernel kills something. Cached files that were not used of late do not
// count: the kernel drops them first.
func (g Group) MemoryLeft() (left int64, limited bool) {
	usage, cache := "memory.usage_in_bytes", "total_inactive_file"
	if g.unified {
		usage, cache = "memory.current", "inactive_file"
	}
	for _, folder := range g.folders {
		maximum, ok1 := g.memoryLimit(folder)
		used, ok2 := number(folder, usage)
		if !ok1 || !ok2 {
			continue
		}
		cached, _ := counter(folder, "memory.stat", cache) // unknown is 0
		if here := max(0, maximum-used+min(cached, used)); !limited || here < left {
			left, limited = here, true
		}
	}
	return left, limited
}
