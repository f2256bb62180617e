//go:build !linux && !darwin

package group

import "os"

// lockFile does nothing: on this system the user must not resume a run that is coordinated.
func lockFile(*os.File) error { return nil }
