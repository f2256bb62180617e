// Package mounts lists the file systems that this process sees mounted. Where the system has no
// /proc there are none.
package mounts

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
	Source string // such as a device, a pool and dataset of ZFS, or a word that says nothing
}

// List returns all of them, in the order in which they were mounted.
func List() ([]Mount, error) {
	infos, err := procfs.GetProcMounts(os.Getpid())
	if err != nil {
		return nil, fmt.Errorf("listing what is mounted: %w", err)
	}
	list := make([]Mount, 0, len(infos))
	for _, m := range infos {
		list = append(list, Mount{unescape(m.MountPoint), m.FSType, unescape(m.Source)})
	}
	return list, nil
}

// unescape returns a text as it is: mountinfo writes what would break a line as octal numbers.
func unescape(text string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(text)
}

// In tells whether a file is in a folder, or is that folder. Both are absolute and clean.
func In(file, folder string) bool {
	return file == folder || strings.HasPrefix(file, strings.TrimSuffix(folder, "/")+"/")
}

// Below returns those at a folder and in it, the last first: the order to unmount them in.
func Below(folder string) (list []Mount, err error) {
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return nil, fmt.Errorf("looking for mounts: %w", err)
	}
	if list, err = List(); err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(m Mount) bool { return !In(m.At, folder) })
	slices.Reverse(list)
	return list, nil
}

// Of returns the one of a list that a file is on, given by its absolute path without links. Of
// two at one folder the later hides the other.
func Of(list []Mount, file string) (at Mount, ok bool) {
	for _, m := range list {
		if In(file, m.At) && len(m.At) >= len(at.At) {
			at, ok = m, true
		}
	}
	return at, ok
}
