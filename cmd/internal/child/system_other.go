//go:build !unix

package child

import (
	"errors"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

var errNoSignals = errors.New("this system has no signals that pause and continue a process")

func check(int) error          { return errNoSignals }
func signalStop(int) error     { return errNoSignals }
func signalContinue(int) error { return errNoSignals }
func awaitStop(int)            {}
