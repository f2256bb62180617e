// Package cgroup reads the limits that the cgroups of this process set, and how often
// they stopped it, from version 1 and 2 of the kernel's interface.
//
// It reads below a root folder, which is "/" outside of tests. Where there are
// no cgroups, as elsewhere than on Linux, everything is unknown.
package cgroup

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// A Group is the cgroup of this process for one controller, with the groups
// around it, as far as they are visible. In the zero value everything is
// unknown. A process seldom changes its cgroup: it is enough to find it once.
type Group struct {
	folders []string // innermost first
	own     bool     // the innermost is the group of this process itself
	unified bool     // version 2
}

// Find returns the group for a controller, "cpu" or "memory". With both versions
// mounted it is that of version 1 if the controller is there.
func Find(root, controller string) (g Group) {
	return find(root, controller, func(fs procfs.FS) (procfs.Proc, error) { return fs.Self() })
}

// Of returns the group of another process of this machine; "" is the controller of version 2.
func Of(root string, pid int, controller string) Group {
	return find(root, controller, func(fs procfs.FS) (procfs.Proc, error) { return fs.Proc(pid) })
}

// Paths returns the paths of a file in the group and in those around it, innermost first.
func (g Group) Paths(file string) (list []string) {
	for _, folder := range g.folders {
		list = append(list, filepath.Join(folder, file))
	}
	return list
}

func find(root, controller string, of func(procfs.FS) (procfs.Proc, error)) (g Group) {
	defer func() { // procfs panics on files that are shorter than it expects
		if recover() != nil {
			g = Group{}
		}
	}()
	proc, err := procfs.NewFS(filepath.Join(root, procfs.DefaultMountPoint))
	if err != nil {
		return g
	}
	member, err := of(proc)
	if err != nil {
		return g
	}
	memberships, _ := member.Cgroups()
	mounts, _ := mountsOf(proc)
	group, v1 := membership(memberships, controller)
	for _, m := range mounts {
		_, has := m.SuperOptions[controller]
		if v1 && (m.FSType != "cgroup" || !has) || !v1 && m.FSType != "cgroup2" {
			continue
		}
		point := filepath.Join(root, m.MountPoint)
		if folder, ok := within(m, point, group); ok {
			return Group{lineage(folder, point), true, !v1}
		}
		if g.folders == nil {
			g = Group{[]string{point}, false, !v1}
		}
	}
	return g
}

// mountsOf returns the mounts that this process sees: another one may see others.
func mountsOf(proc procfs.FS) ([]*procfs.MountInfo, error) {
	self, err := proc.Self()
	if err != nil {
		return nil, err
	}
	return self.MountInfo()
}

// membership returns the path of the group of this process for a controller: v1, or the group of
// version 2; "" if there is none.
func membership(list []procfs.Cgroup, controller string) (group string, v1 bool) {
	for _, g := range list {
		if slices.Contains(g.Controllers, controller) {
			return g.Path, true
		}
		if g.Controllers == nil {
			group = g.Path
		}
	}
	return group, false
}

// within returns where a mount shows a group. It does not show a group that is
// outside of its root: a container may see only a part of the tree.
func within(m *procfs.MountInfo, point, group string) (folder string, ok bool) {
	below, inside := strings.CutPrefix(group, strings.TrimSuffix(m.Root, "/"))
	folder = filepath.Join(point, below)
	switch {
	case group == "" || !inside || below != "" && below[0] != '/':
		return "", false
	case folder != point && !strings.HasPrefix(folder, point+"/"):
		return "", false // the group's path begins with /..
	}
	info, err := os.Stat(folder)
	return folder, err == nil && info.IsDir()
}

// lineage returns a folder and those around it up to the mount point.
func lineage(folder, point string) (folders []string) {
	for ; folder != point; folder = path.Dir(folder) {
		folders = append(folders, folder)
	}
	return append(folders, point)
}

// number reads a file that holds one number, not negative.
func number(folder, file string) (n int64, ok bool) {
	n, err := strconv.ParseInt(line(folder, file), 10, 64)
	return n, err == nil && n >= 0
}

// line returns the first line of a file, "" if it has none.
func line(folder, file string) string {
	text, _ := os.ReadFile(filepath.Join(folder, file))
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

// counter reads one of the lines "name number" of a file; the number is not
// negative, and small enough to be added up over several groups.
func counter(folder, file, name string) (n int64, ok bool) {
	text, _ := os.ReadFile(filepath.Join(folder, file))
	for entry := range strings.Lines(string(text)) {
		if fields := strings.Fields(entry); len(fields) == 2 && fields[0] == name {
			n, err := strconv.ParseInt(fields[1], 10, 60)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}
