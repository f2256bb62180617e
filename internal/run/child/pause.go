package child

import (
	"fmt"
	"io"
	"strconv"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/self"
)

// pauseCommand starts this program as what pauses a broker. The argument after it
// is the broker's pid.
const pauseCommand = "pause-child"

// The parent's request, and the child's answer if it succeeded.
const (
	pause   = "pause"
	carryOn = "continue"
	done    = "done"
)

// A Pauser pauses and continues a process that is not ours, such as a broker. A
// child process sends the signals, and continues the broker when its standard
// input ends: the broker goes on even if brokerbench is killed in the pause.
type Pauser struct {
	id    process.ID
	child *self.Process
}

// StartPauser checks that a process may be paused, and starts the child that does
// it. The caller calls Close.
func StartPauser(pid int) (*Pauser, error) {
	if err := process.Check(pid); err != nil {
		return nil, err
	}
	p, err := self.Start("process that pauses the broker", pauseCommand, strconv.Itoa(pid))
	if err != nil {
		return nil, err
	}
	id, _ := process.Find(pid) // Check found it
	return &Pauser{id, p}, nil
}

// Pause stops the process until Continue or Close.
func (p *Pauser) Pause() error { return p.request(pause) }

// Continue lets the process go on. If the child is gone, this process continues
// it.
func (p *Pauser) Continue() error {
	err := p.request(carryOn)
	if err != nil {
		_ = p.id.Continue()
	}
	return err
}

func (p *Pauser) request(what string) error {
	answer, err := p.child.Ask(what)
	if err == nil && answer != done {
		err = fmt.Errorf("pid %d: %s: %s", p.id.PID, what, answer)
	}
	return err
}

// Close ends the child, which continues the process.
func (p *Pauser) Close() error {
	err := p.child.Stop()
	_ = p.id.Continue() // in case the child was killed
	return err
}

func servePause(argument string, in io.Reader, out io.Writer) error {
	pid, err := strconv.Atoi(argument)
	if err != nil {
		return fmt.Errorf("pid %q is not a number", argument)
	}
	id, _ := process.Find(pid)
	defer func() { _ = id.Continue() }() // harmless if it runs
	return self.Answer(in, out, "ready", func(question string) string {
		signal := id.Continue
		if question == pause {
			signal = id.Stop
		}
		if err := signal(); err != nil {
			return err.Error()
		}
		if question == pause {
			process.AwaitStopped(pid)
		}
		return done
	})
}
