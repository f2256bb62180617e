package inject

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// A space is what a file system has to give. Several may share one, each with a device number of
// its own: the subvolumes of Btrfs, the datasets of ZFS, an overlay and the disk behind it,
// exports of one server.
type space struct {
	device      uint64
	kind        int64  // of the file system, as statfs says it
	source      string // the device or the pool; "" if the mount names none
	total, free uint64 // bytes
}

// sameDisk tells whether what is written to one file takes space from the other.
func sameDisk(a, b string) (bool, error) {
	var of [3]space
	for i, name := range []string{a, b, a} { // who writes meanwhile changes a between two looks at it
		var err error
		if of[i], err = spaceOf(name); err != nil {
			return false, err
		}
	}
	return of[1].shares(of[0], of[2]), nil
}

// shares tells whether two are one. The other is looked at before and after. Where neither
// the device nor the source says it, the same size with as much free is no accident.
func (s space) shares(before, after space) bool {
	switch {
	case s.device == before.device:
		return true
	case s.alone() && before.alone():
		return false
	case s.source != "" && s.source == before.source:
		return true
	}
	least, most := min(before.free, after.free), max(before.free, after.free)
	return s.total == before.total && s.free >= least && s.free <= most
}

// alone tells whether a file system shares its space with none that has another device number.
func (s space) alone() bool {
	return slices.Contains([]int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.TMPFS_MAGIC}, s.kind)
}

func spaceOf(name string) (s space, err error) {
	var file unix.Stat_t
	var disk unix.Statfs_t
	if err := unix.Stat(name, &file); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	if err := unix.Statfs(name, &disk); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	block := uint64(disk.Bsize)
	return space{file.Dev, disk.Type, sourceOf(name), disk.Blocks * block, disk.Bfree * block}, nil
}

// sourceOf returns what holds the data of the file system that a file is on; "" if that is not
// to be seen.
func sourceOf(name string) string {
	list, err := process.Mounts()
	if err != nil {
		return ""
	}
	if name, err = filepath.Abs(name); err == nil {
		name, err = filepath.EvalSymlinks(name)
	}
	if err != nil {
		return ""
	}
	m := process.MountOf(list, name)
	switch {
	case m == nil:
		return ""
	case m.FSType == "zfs": // pool/dataset
		pool, _, _ := strings.Cut(m.Source, "/")
		return pool
	case strings.HasPrefix(m.Source, "/"):
		return m.Source
	}
	return "" // a word such as overlay
}
