package disk

import "golang.org/x/sys/unix"

// Free returns the bytes that are free below a folder.
func Free(folder string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * s.Bsize, nil
}
