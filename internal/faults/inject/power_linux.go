package inject

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// The request to shut a file system down, and its argument that even the journal is not written:
// EXT4_IOC_SHUTDOWN and XFS_IOC_GOINGDOWN, as in linux/fs/ext4/ext4.h and xfs/libxfs/xfs_fs.h. The tests of
// the kernel's file systems simulate a loss of power so.
const (
	shutdownRequest = 0x8004587d
	withoutJournal  = 2
)

// shutDown makes a file system behave as if its device had lost power: everything that has not been
// written to the device is lost.
func shutDown(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(unix.IoctlSetPointerInt(int(f.Fd()), shutdownRequest, withoutJournal), f.Close())
}

// syncDisk makes all that the file system of a folder has in memory reach its device.
func syncDisk(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
}

// remount mounts what a device has, which recovers the journal of the file system, once the processes that
// used it are gone.
func remount(ctx context.Context, disk *process.Mount) error {
	device, err := os.Open(disk.Source) // a loop device goes away with its last user
	if err != nil {
		return fmt.Errorf("mounting %s again: %w", disk.MountPoint, err)
	}
	defer func() { _ = device.Close() }()
	for {
		err := unix.Unmount(disk.MountPoint, 0)
		if !errors.Is(err, unix.EBUSY) {
			if err = cmp.Or(err, mountAgain(disk)); err != nil {
				err = fmt.Errorf("mounting %s again: %w", disk.MountPoint, err)
			}
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("mounting %s again: %w: %w", disk.MountPoint, err, context.Cause(ctx))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// mountFlags are the options of a mount that the kernel wants as flags.
var mountFlags = map[string]uintptr{
	"ro": unix.MS_RDONLY, "nosuid": unix.MS_NOSUID, "nodev": unix.MS_NODEV, "noexec": unix.MS_NOEXEC,
	"noatime": unix.MS_NOATIME, "nodiratime": unix.MS_NODIRATIME, "relatime": unix.MS_RELATIME, "sync": unix.MS_SYNCHRONOUS,
}

// mountAgain mounts a file system as it was mounted, and tries that it can be written.
func mountAgain(disk *process.Mount) error {
	var flags uintptr
	for option := range disk.Options {
		flags |= mountFlags[option]
	}
	if err := unix.Mount(disk.Source, disk.MountPoint, disk.FSType, flags, superOptions(disk)); err != nil {
		return err
	}
	f, err := os.CreateTemp(disk.MountPoint, ".brokerbench-")
	if errors.Is(err, unix.EIO) { // it is the file system that was shut down
		return fmt.Errorf("%w: a process in another mount namespace, such as a container, still has it", err)
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// superOptions returns the options of the file system.
func superOptions(disk *process.Mount) string {
	var options []string
	for name, value := range disk.SuperOptions {
		switch {
		case name == "rw" || name == "ro":
		case value == "":
			options = append(options, name)
		default:
			options = append(options, name+"="+value)
		}
	}
	slices.Sort(options)
	return strings.Join(options, ",")
}

// mountCommand returns a command that mounts a file system again after its power was cut.
func mountCommand(disk *process.Mount) []string {
	options := slices.Sorted(maps.Keys(disk.Options))
	if super := superOptions(disk); super != "" {
		options = append(options, super)
	}
	return []string{
		"sh", "-c", `exec 3<"$1" && umount "$2" && mount -t "$3" -o "$4" "$1" "$2"`, "sh",
		disk.Source, disk.MountPoint, disk.FSType, strings.Join(options, ","),
	}
}
