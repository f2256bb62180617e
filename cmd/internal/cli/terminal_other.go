//go:build !windows

package cli

import "os"

// redraws reports whether a terminal knows control sequences. All do.
func redraws(*os.File) bool { return true }
