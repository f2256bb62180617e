package process

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
)

// A Mount is a file system at a folder.
type Mount struct {
	At     string // the folder, absolute and without links
	Kind   string // such as ext4
	Source string // such as a device, a pool and dataset of ZFS, or an arbitrary word
}

// Mounts returns the file systems that this process sees, in the order in which they were
// mounted. It needs /proc.
func Mounts() ([]Mount, error) {
	infos, err := procfs.GetProcMounts(os.Getpid())
	if err != nil {
		return nil, fmt.Errorf("listing mounts: %w", err)
	}
	list := make([]Mount, 0, len(infos))
	for _, m := range infos {
		list = append(list, Mount{unescape(m.MountPoint), m.FSType, unescape(m.Source)})
	}
	return list, nil
}

// unescape replaces the octal numbers that mountinfo writes for blanks and line breaks.
func unescape(text string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(text)
}

// within reports whether a file is in a folder, or is that folder. Both are absolute and clean.
func within(file, folder string) bool {
	return file == folder || strings.HasPrefix(file, strings.TrimSuffix(folder, "/")+"/")
}

// MountsBelow returns the mounts at a folder and in it, the last first: the order in which to
// unmount them.
func MountsBelow(folder string) (list []Mount, err error) {
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return nil, fmt.Errorf("looking for mounts: %w", err)
	}
	if list, err = Mounts(); err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(m Mount) bool { return !within(m.At, folder) })
	slices.Reverse(list)
	return list, nil
}

// MountOf returns the mount in a list that holds a file, given by its absolute path without
// links. Of two at one folder the later hides the other.
func MountOf(list []Mount, file string) (at Mount, ok bool) {
	for _, m := range list {
		if within(file, m.At) && len(m.At) >= len(at.At) {
			at, ok = m, true
		}
	}
	return at, ok
}
