//go:build !unix

package process

import "os/exec"

// OwnGroup does nothing here.
func OwnGroup(*exec.Cmd) {}

// EndsWhole does nothing here: what the command has started may go on.
func EndsWhole(*exec.Cmd) {}
