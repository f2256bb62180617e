// Package child runs parts of brokerbench in a process of their own: this very
// program, started with a hidden argument. A child ends when its standard input
// does, and so also when its parent is killed.
package child

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// stopTimeout is how long a child may take to end before it is killed.
const stopTimeout = 5 * time.Second

// A Process is a child that has said that it is ready. It is not safe for
// concurrent use.
type Process struct {
	Ready string // the line with which it said so: an address, say
	PID   int

	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer
}

// Start starts this program with arguments and waits for the first line that it
// writes. The caller calls Stop.
func Start(args ...string) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("child: finding this program: %w", err)
	}
	p := &Process{cmd: exec.Command(self, args...)} //nolint:gosec,noctx // this very program; Stop ends it
	p.cmd.Stderr = &p.stderr
	p.cmd.SysProcAttr = ownGroup()
	var errIn, errOut error
	p.stdin, errIn = p.cmd.StdinPipe()
	stdout, errOut := p.cmd.StdoutPipe()
	if err := errors.Join(errIn, errOut); err != nil {
		return nil, fmt.Errorf("child: %s: %w", args[0], err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("child: %s: %w", args[0], err)
	}
	p.PID, p.stdout = p.cmd.Process.Pid, bufio.NewReader(stdout)
	if p.Ready, err = p.line(); err != nil {
		_ = p.Stop()
		return nil, fmt.Errorf("child: %s did not start: %w %s", args[0], err, p.complaint())
	}
	return p, nil
}

// Ask writes a line to the child and returns the line with which it answers.
func (p *Process) Ask(question string) (answer string, err error) {
	_, err = fmt.Fprintln(p.stdin, question)
	if err == nil {
		answer, err = p.line()
	}
	if err != nil {
		_ = p.Stop() // it has ended, or makes no sense
		return "", fmt.Errorf("child: %w %s", err, p.complaint())
	}
	return answer, nil
}

func (p *Process) line() (string, error) {
	text, err := p.stdout.ReadString('\n')
	return strings.TrimSpace(text), err
}

// complaint returns what the child wrote to its standard error. The child must
// have been stopped: until then it may be writing.
func (p *Process) complaint() string { return strings.TrimSpace(p.stderr.String()) }

// Stop ends the child and returns when it has ended. It is safe to call twice.
func (p *Process) Stop() error {
	_ = p.stdin.Close() // the child sees its input end
	if p.cmd.ProcessState != nil {
		return nil
	}
	kill := time.AfterFunc(stopTimeout, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("child: stopping: %w %s", err, p.complaint())
	}
	return nil
}

// Serve is for the child: it answers each line of in with what reply makes of it,
// and returns when in ends. A nil reply answers nothing.
func Serve(in io.Reader, out io.Writer, reply func(question string) string) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if reply == nil {
			continue
		}
		if _, err := fmt.Fprintln(out, reply(lines.Text())); err != nil {
			return fmt.Errorf("child: answering: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("child: waiting for the parent: %w", err)
	}
	return nil
}
