//go:build !windows

package command

import "os"

// redraws reports whether a terminal knows control sequences. All do.
func redraws(*os.File) bool { return true }
