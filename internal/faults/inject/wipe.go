package inject

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// wipe kills a node and removes everything from the folder of its data, as if its disk had been replaced.
// undo starts the node, also if something could not be removed.
func (in *Injector) wipe(ctx context.Context, node int) (undo func(context.Context) error, err error) {
	n := in.o.Nodes[node]
	if err := Wipeable(n.Data, in.o.Spare, in.othersOf(node), true); err != nil {
		return nil, fmt.Errorf("node %s: %w", n.Name, err)
	}
	if undo, err = in.end(ctx, node, n.Process.Kill); err != nil {
		return undo, err
	}
	entries, err := os.ReadDir(n.Data)
	errs := []error{err}
	for _, e := range entries {
		errs = append(errs, os.RemoveAll(filepath.Join(n.Data, e.Name())))
	}
	if err := errors.Join(errs...); err != nil {
		return undo, fmt.Errorf("removing the data of node %s: %w", n.Name, err)
	}
	return undo, nil
}

// othersOf returns the folders with the data of all nodes but one.
func (in *Injector) othersOf(node int) (folders []string) {
	for i, other := range in.o.Nodes {
		if i != node {
			folders = append(folders, other.Data)
		}
	}
	return folders
}

// Wipeable returns why the data in a folder must not be removed; nil if it may be. Spare lists files or
// folders that others need, and others the data of other nodes. Nothing may be mounted in the folder,
// and at it only if disk.
func Wipeable(folder string, spare, others []string, disk bool) error {
	if folder == "" {
		return errNoData
	}
	folder, err := resolved(folder)
	if err != nil {
		return err
	}
	home, _ := os.UserHomeDir()
	here, _ := os.Getwd()
	for _, other := range append([]string{
		"/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/opt", "/proc", "/root", "/run", "/sbin", "/srv", "/sys",
		"/usr", "/var", "/var/lib", "/var/log", os.TempDir(), home, here,
	}, spare...) {
		if other, err := resolved(other); err == nil && process.Within(other, folder) {
			return fmt.Errorf("%s is or contains %s: give the node a folder for its data alone", folder, other)
		}
	}
	for _, other := range others {
		if other == "" { // it is not known
			continue
		}
		if other, err := resolved(other); err == nil && (process.Within(other, folder) || process.Within(folder, other)) {
			return fmt.Errorf("%s and %s, the data of another node, are not apart: give each node a folder for its data alone", folder, other)
		}
	}
	mounts, err := process.MountsBelow(folder)
	if errors.Is(err, os.ErrNotExist) { // no system that lists them
		return nil
	}
	for _, m := range mounts {
		if m.MountPoint != folder || !disk {
			return fmt.Errorf("something is mounted at %s: give the node a folder without a mount", m.MountPoint)
		}
	}
	return err
}

// resolved returns the path of a file without symbolic links.
func resolved(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err == nil {
		name, err = filepath.EvalSymlinks(name)
	}
	return name, err
}
