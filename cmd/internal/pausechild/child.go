//go:build unix

// Package pausechild stops and continues a process of somebody's, and continues
// it whatever happens: a child process does it, which continues it when its
// standard input ends, so also when brokerbench is killed.
package pausechild

import (
	"fmt"
	"io"
	"strconv"
	"syscall"

	"github.com/brokerbench/brokerbench/cmd/internal/child"
)

// Command is the hidden first argument of the child; the second is the pid.
const Command = "pause-child"

// What the parent asks for; done is the answer if it worked.
const (
	pause     = "pause"
	carryOn   = "continue"
	done      = "done"
	ready     = "ready"
	forbidden = 1 // this pid and those below name no single process that may be stopped
)

// Serve is the child's main function.
func Serve(pid string, in io.Reader, out io.Writer) error {
	n, err := strconv.Atoi(pid)
	if err != nil {
		return fmt.Errorf("pausechild: pid %q is no number", pid)
	}
	if _, err := fmt.Fprintln(out, ready); err != nil {
		return fmt.Errorf("pausechild: telling the parent: %w", err)
	}
	defer func() { _ = syscall.Kill(n, syscall.SIGCONT) }() // harmless if it runs
	return child.Serve(in, out, func(question string) string {
		signal := syscall.SIGCONT
		if question == pause {
			signal = syscall.SIGSTOP
		}
		if err := syscall.Kill(n, signal); err != nil {
			return err.Error()
		}
		return done
	})
}

// A Pauser stops and continues one process.
type Pauser struct {
	pid     int
	process *child.Process
}

// Start checks that the process exists and is the caller's own, or that the
// caller is root, and starts the child. The caller calls Close.
func Start(pid int) (*Pauser, error) {
	if err := check(pid); err != nil {
		return nil, err
	}
	p, err := child.Start(Command, strconv.Itoa(pid))
	if err != nil {
		return nil, err
	}
	return &Pauser{pid, p}, nil
}

// Pause stops the process.
func (p *Pauser) Pause() error { return p.ask(pause) }

// Continue lets the process go on. If the child is gone it does so itself.
func (p *Pauser) Continue() error {
	err := p.ask(carryOn)
	if err != nil {
		_ = syscall.Kill(p.pid, syscall.SIGCONT)
	}
	return err
}

func (p *Pauser) ask(what string) error {
	answer, err := p.process.Ask(what)
	if err == nil && answer != done {
		err = fmt.Errorf("pid %d: %s: %s", p.pid, what, answer)
	}
	return err
}

// Close ends the child, which continues the process.
func (p *Pauser) Close() error {
	err := p.process.Stop()
	_ = syscall.Kill(p.pid, syscall.SIGCONT) // had the child been killed
	return err
}
