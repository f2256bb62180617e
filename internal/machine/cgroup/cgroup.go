// Package cgroup reads the limits that the cgroups of this process set, and how often
// they stopped it, from version 1 and 2 of the kernel's interface.
//
// It reads below a root, which is os.DirFS("/") outside of tests. Where there are
// no cgroups, as elsewhere than on Linux, everything is unknown.
package cgroup

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Group is the cgroup of this process for one controller, with the groups
// around it, as far as they are visible. In the zero value everything is
// unknown. A process seldom changes its cgroup: it is enough to find it once.
type Group struct {
	root    fs.FS
	folders []string // innermost first
	own     bool     // the innermost is the group of this process itself
	unified bool     // version 2
}

// Find returns the group for a controller, "cpu" or "memory". With both versions
// mounted it is that of version 1 if the controller is there.
func Find(root fs.FS, controller string) (g Group) {
	memberships, _ := fs.ReadFile(root, "proc/self/cgroup")
	mounts, _ := fs.ReadFile(root, "proc/self/mountinfo")
	member := parseMemberships(string(memberships))
	group, v1 := member[controller]
	if !v1 {
		group = member[""] // no path if there is none, which no mount shows
	}
	for _, m := range parseMounts(string(mounts)) {
		if v1 && !slices.Contains(m.controllers, controller) || !v1 && !m.unified {
			continue
		}
		if folder, ok := m.folder(root, group); ok {
			return Group{root, lineage(folder, m.point), true, m.unified}
		}
		if g.folders == nil {
			g = Group{root, []string{m.point}, false, m.unified}
		}
	}
	return g
}

// lineage returns a folder and those around it up to the mount point.
func lineage(folder, point string) (folders []string) {
	for ; folder != point; folder = path.Dir(folder) {
		folders = append(folders, folder)
	}
	return append(folders, point)
}

// number reads a file that holds one number, not negative.
func (g Group) number(folder, file string) (n int64, ok bool) {
	n, err := strconv.ParseInt(g.line(folder, file), 10, 64)
	return n, err == nil && n >= 0
}

// line returns the first line of a file, "" if it has none.
func (g Group) line(folder, file string) string {
	text, _ := fs.ReadFile(g.root, path.Join(folder, file))
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

// counter reads one of the lines "name number" of a file; the number is not
// negative, and small enough to be added up over several groups.
func (g Group) counter(folder, file, name string) (n int64, ok bool) {
	text, _ := fs.ReadFile(g.root, path.Join(folder, file))
	for entry := range strings.Lines(string(text)) {
		if fields := strings.Fields(entry); len(fields) == 2 && fields[0] == name {
			n, err := strconv.ParseInt(fields[1], 10, 60)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}
