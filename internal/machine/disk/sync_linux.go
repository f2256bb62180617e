package disk

import "golang.org/x/sys/unix"

// sync waits until the content of the file is on the drive, and its length if that changed.
func (d drive) sync() error { return unix.Fdatasync(int(d.Fd())) }
