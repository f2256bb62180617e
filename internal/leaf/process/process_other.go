//go:build !unix

package process

import (
	"errors"
	"os/exec"
)

var errNoSignals = errors.New("this system has no signals that pause, stop or kill a process")

// Find finds nothing.
func Find(pid int) (ID, bool) { return ID{PID: pid}, false }

// Alive is false.
func (ID) Alive() bool { return false }

// Kill returns an error.
func (ID) Kill() error { return errNoSignals }

// Stop returns an error.
func (ID) Stop() error { return errNoSignals }

// Continue returns an error.
func (ID) Continue() error { return errNoSignals }

// Terminate returns an error.
func (ID) Terminate() error { return errNoSignals }

// AwaitStopped does nothing.
func AwaitStopped(int) {}

// A Tree is empty.
type Tree map[int][]ID

// NewTree returns an empty tree.
func NewTree(func()) Tree { return nil }

// Family finds nothing.
func (Tree) Family(ID) []ID { return nil }

// Family finds nothing.
func Family(int) []ID { return nil }

// Marked returns none.
func Marked(string) []ID { return nil }

// Reap does nothing.
func Reap(func(pid int) bool) {}

// Check refuses every process.
func Check(int) error { return errNoSignals }

// OwnGroup does nothing.
func OwnGroup(*exec.Cmd) {}

// EndsWhole does nothing: children of the command may go on.
func EndsWhole(*exec.Cmd) {}
