//go:build !unix

package process

import "os/exec"

// OwnGroup does nothing.
func OwnGroup(*exec.Cmd) {}

// EndsWhole does nothing: children of the command may go on.
func EndsWhole(*exec.Cmd) {}
