package doctor

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A mount is a mounted hierarchy of cgroups.
type mount struct {
	root        string   // the cgroup that is mounted
	point       string   // where, without the leading slash
	controllers []string // of version 1
	unified     bool     // version 2
}

// ownGroups returns the folders of the cgroup that this process is in and of those
// around it, as far as they are visible, the own first; unified tells whether they
// are of version 2. The controller is "cpu" or "memory". There are none where
// there are no cgroups.
func ownGroups(root fs.FS, controller string) (folders []string, unified bool) {
	memberships, _ := fs.ReadFile(root, "proc/self/cgroup")
	mounts, _ := fs.ReadFile(root, "proc/self/mountinfo")
	member := parseMemberships(string(memberships))
	group, v1 := member[controller]
	if !v1 {
		group = member[""]
	}
	for _, m := range parseMounts(string(mounts)) {
		if v1 && slices.Contains(m.controllers, controller) || !v1 && m.unified {
			return lineage(root, m, group), m.unified
		}
	}
	return nil, false
}

// lineage returns the folders of a group and its parents. A group that is outside
// of what is mounted here, as in a container that sees only its own, is what is
// mounted.
func lineage(root fs.FS, m mount, group string) (folders []string) {
	below, inside := strings.CutPrefix(group, strings.TrimSuffix(m.root, "/"))
	folder := path.Join(m.point, below)
	if info, err := fs.Stat(root, folder); !inside || err != nil || !info.IsDir() {
		folder = m.point
	}
	for folder != m.point && strings.HasPrefix(folder, m.point+"/") {
		folders = append(folders, folder)
		folder = path.Dir(folder)
	}
	return append(folders, m.point)
}

// parseMemberships reads /proc/self/cgroup: lines such as "4:cpu,cpuacct:/a" or, of
// version 2, "0::/a". It returns the group of each controller; that of version 2
// is under "".
func parseMemberships(contents string) map[string]string {
	groups := make(map[string]string)
	for l := range strings.Lines(contents) {
		fields := strings.SplitN(strings.TrimSuffix(l, "\n"), ":", 3)
		if len(fields) < 3 {
			continue
		}
		for controller := range strings.SplitSeq(fields[1], ",") {
			groups[controller] = fields[2]
		}
	}
	return groups
}

// parseMounts finds the cgroups in /proc/self/mountinfo: lines such as
// "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu", see
// proc_pid_mountinfo(5).
func parseMounts(contents string) (mounts []mount) {
	for l := range strings.Lines(contents) {
		before, after, _ := strings.Cut(l, " - ")
		where, what := strings.Fields(before), strings.Fields(after)
		if len(where) < 5 || len(what) < 3 {
			continue
		}
		m := mount{root: where[3], point: strings.TrimPrefix(path.Clean(where[4]), "/")}
		switch what[0] {
		case "cgroup":
			m.controllers = strings.Split(what[2], ",")
		case "cgroup2":
			m.unified = true
		default:
			continue
		}
		if fs.ValidPath(m.point) {
			mounts = append(mounts, m)
		}
	}
	return mounts
}

// groupMemory returns what the memory limits of our cgroup, and of those around
// it, leave before something is killed. Cached files that were not used of late do
// not count: they are dropped first.
func groupMemory(root fs.FS) (left int64, limited bool) {
	folders, unified := ownGroups(root, "memory")
	limit, usage, cache := "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
	if unified {
		limit, usage, cache = "memory.max", "memory.current", "inactive_file"
	}
	for _, folder := range folders {
		maximum, ok1 := number(root, path.Join(folder, limit)) // "max" is no number
		used, ok2 := number(root, path.Join(folder, usage))
		if !ok1 || !ok2 || maximum >= 1<<60 { // version 1 writes about 2^63 for none
			continue
		}
		cached, _ := counter(root, path.Join(folder, "memory.stat"), cache) // unknown is 0
		if here := max(0, maximum-used+min(cached, used)); !limited || here < left {
			left, limited = here, true
		}
	}
	return left, limited
}

// number reads a file that holds one number, not negative.
func number(root fs.FS, file string) (n int64, ok bool) {
	text, _ := line(root, file)
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= 0
}

// counter reads one of the lines "name number" of a file; the number is not
// negative.
func counter(root fs.FS, file, name string) (n int64, ok bool) {
	text, _ := fs.ReadFile(root, file)
	for entry := range strings.Lines(string(text)) {
		if fields := strings.Fields(entry); len(fields) == 2 && fields[0] == name {
			n, err := strconv.ParseInt(fields[1], 10, 56) // those of several groups add up
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}
