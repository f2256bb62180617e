//go:build !windows

package cli

import "os"

// redraws tells whether a terminal knows control sequences: all do.
func redraws(*os.File) bool { return true }
