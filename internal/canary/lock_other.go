//go:build !linux && !darwin

package canary

import "os"

// lock does nothing: on this system nothing keeps a second canary from the folder.
func lock(*os.File) error { return nil }
