//go:build linux

package faults

import (
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// environmentRows are rows without a broker: where output goes, and what disks hold.
func environmentRows() []row {
	// A pipe that is full, and that nobody reads.
	const unread = "exec 2> >(exec env -i /bin/sleep 20) && head -c 65536 /dev/zero >&2"
	return []row{
		{fault: "nothing"},
		{fault: "client killed", during: func(a *attempt) {
			time.Sleep(700 * time.Millisecond)
			a.signal(syscall.SIGKILL)
		}, exit: []int{-1}, killed: true},
		{fault: "standard error closed", shell: "exec 2>&-"},
		{fault: "standard output closed", shell: "exec >&-", exit: []int{0, 1}},
		{fault: "the reader of standard error has gone", shell: "exec 2> >(exec true)", args: []string{"--progress", "json"}},
		{fault: "the reader of standard output has gone", shell: "exec > >(exec true)", exit: []int{0, 1, 141}},
		{fault: "nobody reads standard error", shell: unread, args: []string{"--progress", "json"}},
		{fault: "the folder is a file", args: []string{"--out", "/dev/null/x"}, exit: []int{1, 2}, unmade: true},
		{fault: "no file may be larger than 8 KiB", shell: "trap '' XFSZ && ulimit -f 8", exit: []int{0, 1, 4}, cut: true},
		{fault: "disk full from the start, then larger", before: small("8k"), during: grow, exit: []int{0, 1, 4}, cut: true},
		{fault: "disk full in the middle, then free again", before: small("1m"), during: fill, exit: []int{0, 1, 4}, cut: true},
	}
}

// small mounts a small file system, in which the results will be. That needs root.
func small(size string) func(*attempt) {
	return func(a *attempt) {
		if err := os.Mkdir(a.out(), 0o700); err != nil {
			a.t.Fatal(err)
		}
		if err := syscall.Mount("none", a.out(), "tmpfs", 0, "size="+size); err != nil {
			a.t.Skipf("mounting a small disk, as root: %v", err)
		}
		a.t.Cleanup(func() { _ = syscall.Unmount(a.out(), syscall.MNT_DETACH) })
	}
}

// grow makes the disk larger after a while.
func grow(a *attempt) {
	time.Sleep(1200 * time.Millisecond)
	if err := syscall.Mount("none", a.out(), "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		a.fall("making the disk larger: %v", err)
	}
}

// fill fills the disk for a while.
func fill(a *attempt) {
	path := filepath.Join(a.out(), ".fill")
	_ = os.WriteFile(path, make([]byte, 1<<20), 0o600) // until it is full
	time.Sleep(1200 * time.Millisecond)
	_ = os.Remove(path)
}
