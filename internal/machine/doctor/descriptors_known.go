//go:build linux || darwin

package doctor

import "golang.org/x/sys/unix"

// descriptors judges the limit of open files. Go raises the soft limit to the hard
// one when it starts.
func descriptors(needs Needs) Finding {
	var limit unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit)
	return openFiles(limit.Cur, err == nil, needs)
}
