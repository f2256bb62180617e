//go:build !unix

package process

import "errors"

var errNoSignals = errors.New("this system has no signals that pause, stop or kill a process")

// Find finds nothing here.
func Find(pid int) (ID, bool) { return ID{PID: pid}, false }

// Alive is false here.
func (ID) Alive() bool { return false }

// Kill is an error here.
func (ID) Kill() error { return errNoSignals }

// Stop is an error here.
func (ID) Stop() error { return errNoSignals }

// Continue is an error here.
func (ID) Continue() error { return errNoSignals }

// Terminate is an error here.
func (ID) Terminate() error { return errNoSignals }

// AwaitStopped does nothing here.
func AwaitStopped(int) {}

// A Tree is empty here.
type Tree map[int][]ID

// NewTree makes an empty one.
func NewTree(func()) Tree { return nil }

// Family finds nothing here.
func (Tree) Family(ID) []ID { return nil }

// Family finds nothing here.
func Family(int) []ID { return nil }

// Reap does nothing here.
func Reap(func(pid int) bool) {}

// Check refuses every process here.
func Check(int) error { return errNoSignals }
