package inject

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/plan"
)

// powerOff cuts the power of a node: the file system of its data takes no more writes, as if its device
// had lost power at that moment, and its processes are killed. They are stopped first, so that none
// acknowledges what can no longer be written. undo mounts what the device has, and starts the node.
func (in *Injector) powerOff(ctx context.Context, a *action, node int) (undo func(context.Context) error, err error) {
	n := in.o.Nodes[node]
	if in.isDead(node) {
		return nil, fmt.Errorf("node %s does not run: another fault has ended it", n.Name)
	}
	disk, err := PowerOff(n.Data, in.o.Spare, in.othersOf(node))
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", n.Name, err)
	}
	forget, err := in.o.Guard(Leftover{Command: mountCommand(disk)})
	if err != nil {
		return nil, err
	}
	resume, err := in.nodes[node].paused.pause(ctx, a.index, n.Process)
	if err == nil {
		if err = shutDown(n.Data); err != nil {
			err = fmt.Errorf("node %s: cutting the power of %s: %w", n.Name, n.Data, err)
		}
	}
	if err != nil {
		return resume, errors.Join(err, forget())
	}
	start, err := in.end(ctx, node, n.Process.Kill)
	if start == nil { // it ended by itself, or another fault ended it
		start = resume
	}
	return func(ctx context.Context) error {
		if err := remount(ctx, disk); err != nil {
			return err
		}
		return errors.Join(start(ctx), forget())
	}, err
}

// settle makes all that nodes have written before the first message reach their devices, if their power is to be
// cut: servers and topics of users are older than the messages of a cell.
func (in *Injector) settle(f plan.Fault) (err error) {
	if !f.Settles() {
		return nil
	}
	for i, n := range in.o.Nodes {
		if !f.Concerns(n.Node) {
			continue
		}
		if _, unable := PowerOff(n.Data, in.o.Spare, in.othersOf(i)); unable != nil {
			continue // the cut will say so
		}
		if failed := syncDisk(n.Data); failed != nil {
			err = errors.Join(err, fmt.Errorf("node %s: syncing %s before the fault: %w", n.Name, n.Data, failed))
		}
	}
	return err
}

// PowerOff returns the mount of a folder whose power can be cut. The folder must be the mount point of a
// file system that nothing else uses. Spare and others are as for [Wipeable].
func PowerOff(folder string, spare, others []string) (*process.Mount, error) {
	if err := Wipeable(folder, spare, others, true); err != nil {
		return nil, err
	}
	list, err := process.Mounts()
	if err != nil {
		return nil, err
	}
	at, err := resolved(folder)
	if err != nil {
		return nil, err
	}
	disk := process.MountOf(list, at)
	switch {
	case disk == nil || disk.MountPoint != at:
		return nil, fmt.Errorf("%s is not a mount point, so that its power cannot be cut: mount a separate ext4 or xfs there, or let local: do it with data=SIZE", folder)
	case !slices.Contains([]string{"ext4", "xfs"}, disk.FSType):
		return nil, fmt.Errorf("%s is on %s, whose power cannot be cut: use ext4 or xfs", folder, disk.FSType)
	case disk.Root != "/":
		return nil, fmt.Errorf("%s is only a part of the file system on %s: give the node a separate one", folder, disk.Source)
	}
	for _, m := range list {
		if m.MajorMinorVer == disk.MajorMinorVer && m.MountPoint != at {
			return nil, fmt.Errorf("%s and %s are one file system: give the node a separate one", folder, m.MountPoint)
		}
	}
	if !process.Admin() {
		return nil, errors.New("cutting the power of a file system needs CAP_SYS_ADMIN on Linux: run as root, in a container with --privileged")
	}
	return disk, nil
}
