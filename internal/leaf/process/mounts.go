package process

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
)

// A Mount is a file system that is mounted.
type Mount = procfs.MountInfo

// Mounts returns the file systems that this process sees, in the order in which they were
// mounted. It needs /proc.
func Mounts() ([]*Mount, error) {
	list, err := procfs.GetProcMounts(os.Getpid())
	if err != nil {
		return nil, fmt.Errorf("listing mounts: %w", err)
	}
	for _, m := range list {
		m.MountPoint, m.Source = unescape(m.MountPoint), unescape(m.Source)
	}
	return list, nil
}

// unescape replaces the octal numbers that mountinfo writes for blanks and line breaks.
func unescape(text string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(text)
}

// Within reports whether a file is in a folder, or is that folder. Both are absolute and clean.
func Within(file, folder string) bool {
	return file == folder || strings.HasPrefix(file, strings.TrimSuffix(folder, "/")+"/")
}

// MountsBelow returns the mounts at a folder and in it, the last first: the order in which to
// unmount them.
func MountsBelow(folder string) (list []*Mount, err error) {
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return nil, fmt.Errorf("looking for mounts: %w", err)
	}
	if list, err = Mounts(); err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(m *Mount) bool { return !Within(m.MountPoint, folder) })
	slices.Reverse(list)
	return list, nil
}

// MountOf returns the mount in a list that holds a file, given by its absolute path without
// links; nil if none does. Of two at one folder the later hides the other.
func MountOf(list []*Mount, file string) (at *Mount) {
	for _, m := range list {
		if Within(file, m.MountPoint) && (at == nil || len(m.MountPoint) >= len(at.MountPoint)) {
			at = m
		}
	}
	return at
}
