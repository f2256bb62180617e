//go:build linux || darwin

package doctor

import "golang.org/x/sys/unix"

// fileLimit returns the limit of open files. Go raises the soft limit to the hard
// one when it starts.
func fileLimit() (limit uint64, known bool) {
	var files unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files)
	return files.Cur, err == nil
}
