package machine

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// cpuStatOf returns the cpu.stat of the process's own cgroup that says how long
// it was throttled, "" if there is none. With both versions mounted it is that of
// version 1 if the CPU controller is there. A process seldom changes its cgroup:
// it is enough to look once.
func cpuStatOf(p procfs.Proc) string {
	groups, ok := told(p.Cgroups)
	if !ok {
		return ""
	}
	mounts, ok := told(p.MountInfo)
	if !ok {
		return ""
	}
	for _, group := range groups { // version 2 is the last
		for _, mount := range mounts {
			file, ok := cpuStatIn(group, mount)
			if ok && throttled(file) != nil {
				return file
			}
		}
	}
	return ""
}

// cpuStatIn returns where a cgroup's cpu.stat is if a mount shows it.
func cpuStatIn(group procfs.Cgroup, mount *procfs.MountInfo) (file string, ok bool) {
	switch {
	case slices.Contains(group.Controllers, "cpu"):
		_, cpu := mount.SuperOptions["cpu"]
		ok = mount.FSType == "cgroup" && cpu
	case group.HierarchyID == 0:
		ok = mount.FSType == "cgroup2"
	}
	if !ok {
		return "", false
	}
	// A container may see only a part of the tree: the mount's root.
	below, err := filepath.Rel(mount.Root, group.Path)
	if err != nil || !filepath.IsLocal(below) {
		return "", false
	}
	return filepath.Join(mount.MountPoint, below, "cpu.stat"), true
}

// throttled returns how long the cgroup of a cpu.stat was throttled, in
// nanoseconds; nil if it does not tell.
func throttled(file string) *int64 {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return parseThrottled(string(text))
}

// parseThrottled reads throttled_time of version 1, in nanoseconds, or
// throttled_usec of version 2.
func parseThrottled(text string) *int64 {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		var unit time.Duration
		switch name {
		case "throttled_time":
			unit = time.Nanosecond
		case "throttled_usec":
			unit = time.Microsecond
		default:
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/int64(unit) {
			return nil
		}
		return new(n * int64(unit))
	}
	return nil
}
