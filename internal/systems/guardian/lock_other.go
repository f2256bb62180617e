//go:build !linux && !darwin

package guardian

import (
	"errors"
	"os"
)

// lock does nothing: on this system no process claims a journal.
func lock(*os.File) error { return nil }

func mine(*os.File) error { return errors.ErrUnsupported }
