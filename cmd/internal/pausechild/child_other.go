//go:build !unix

// Package pausechild stops and continues a process, where the system can.
package pausechild

import (
	"errors"
	"io"
)

// Command is the hidden first argument of the child.
const Command = "pause-child"

var errNone = errors.New("this system has no signals that stop and continue a process")

// Serve is the child's main function.
func Serve(string, io.Reader, io.Writer) error { return errNone }

// A Pauser stops and continues one process.
type Pauser struct{}

// Start says that it cannot.
func Start(int) (*Pauser, error) { return nil, errNone }

// Pause stops the process.
func (*Pauser) Pause() error { return errNone }

// Continue lets the process go on.
func (*Pauser) Continue() error { return errNone }

// Close ends the child.
func (*Pauser) Close() error { return nil }
