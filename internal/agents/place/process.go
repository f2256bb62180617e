// Package place starts the processes of agents on the machines where they measure: on this
// machine, over the system's ssh, or on Kubernetes with the system's kubectl. An agent gets its
// join through its standard input or as a Secret, and ends when its standard input ends.
package place

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// stopTimeout is how long an agent may take to end once its standard input has.
const stopTimeout = 10 * time.Second

// outputDelay is how long the output of a process may stay open after its end: that of
// an ssh that leaves its connection to others does.
const outputDelay = time.Second

// A Process is an agent that this process started, or the ssh that it runs under.
type Process struct {
	Agent string

	cmd   *exec.Cmd
	stdin io.WriteCloser
	said  process.Tail
	ended chan struct{}
	err   error // of Wait; once ended is closed
}

// start runs a command that is, or becomes, an agent, and gives it what it joins with.
// The command's standard input stays open until Stop: the agent ends with it.
func start(j wire.Join, command ...string) (*Process, error) {
	p := &Process{Agent: j.Agent.Name, cmd: exec.Command(command[0], command[1:]...), ended: make(chan struct{})} //nolint:gosec,noctx // named by the user; Stop ends it
	p.cmd.Stderr, p.cmd.Stdout = &p.said, &p.said
	process.OwnGroup(p.cmd)
	p.cmd.WaitDelay = outputDelay
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("starting agent %s: %w", p.Agent, err)
	}
	go func() {
		if p.err = p.cmd.Wait(); errors.Is(p.err, exec.ErrWaitDelay) {
			p.err = nil
		}
		close(p.ended)
	}()
	if err := json.NewEncoder(p.stdin).Encode(j); err != nil { // it has ended, or does not read
		_ = p.Stop() // the first error says more
		return nil, fmt.Errorf("starting agent %s: giving it its join file: %w: %s", p.Agent, err, p.Why())
	}
	return p, nil
}

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Why says why the process ended, with the last that it said. It waits for the end.
func (p *Process) Why() string {
	<-p.ended
	why := "its process ended"
	if p.err != nil {
		why += ": " + p.err.Error()
	}
	if said := p.said.LastLine(); said != "" && p.cmd.ProcessState.ExitCode() > 0 { // it was not killed, but says why
		why += " (" + said + ")"
	}
	return why
}

// Stop ends the agent and returns when it has ended. It is safe to call twice.
func (p *Process) Stop() error {
	_ = p.stdin.Close()
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
	var exit *exec.ExitError
	if p.err != nil && !errors.As(p.err, &exit) {
		return fmt.Errorf("stopping agent %s: %w", p.Agent, p.err)
	}
	return nil
}

// Local starts an agent on this machine: this very program.
func Local(j wire.Join) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("starting agent %s: finding this program: %w", j.Agent.Name, err)
	}
	return start(j, self, "agent", "--join", "-")
}
