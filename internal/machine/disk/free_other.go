//go:build !linux

package disk

import "errors"

// Free returns the bytes that are free below a folder, on Linux.
func Free(string) (int64, error) { return 0, errors.ErrUnsupported }
