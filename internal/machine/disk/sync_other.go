//go:build !linux

package disk

// sync waits until the file is on the drive.
func (d drive) sync() error { return d.Sync() }
