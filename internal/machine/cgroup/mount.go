package cgroup

import (
	"io/fs"
	"path"
	"strings"
)

// A mount is a mounted hierarchy of cgroups.
type mount struct {
	root        string   // the cgroup that is mounted
	point       string   // where, without the leading slash
	controllers []string // of version 1
	unified     bool     // version 2
}

// folder returns where the mount shows a group. It does not show a group that is
// outside of its root: a container may see only a part of the tree.
func (m mount) folder(root fs.FS, group string) (folder string, ok bool) {
	below, inside := strings.CutPrefix(group, strings.TrimSuffix(m.root, "/"))
	folder = path.Join(m.point, below)
	switch {
	case group == "" || !inside || below != "" && below[0] != '/':
		return "", false
	case folder != m.point && !strings.HasPrefix(folder, m.point+"/"):
		return "", false // the group's path begins with /..
	}
	info, err := fs.Stat(root, folder)
	return folder, err == nil && info.IsDir()
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
