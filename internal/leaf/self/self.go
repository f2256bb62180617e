// Package self starts this program again, as a child process with a hidden
// argument, and speaks with it.
//
// Parent and child speak over the child's standard streams. The child's first
// line says that it is ready; after that it may answer each line that it receives
// with another. It ends when its standard input ends, so it also ends when
// its parent is killed.
package self

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// stopTimeout is how long a child may take to end before it is killed.
const stopTimeout = 5 * time.Second

// longestLine is the longest line that a child takes, in bytes.
const longestLine = 1 << 20

// Answer is the child's side: it writes the child's first line and then answers each line of in. It
// returns when in ends. With a nil reply it reads the lines and answers none.
func Answer(in io.Reader, out io.Writer, ready string, reply func(question string) string) error {
	if _, err := fmt.Fprintln(out, ready); err != nil {
		return fmt.Errorf("reporting to the parent process: %w", err)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		if reply == nil {
			continue
		}
		if _, err := fmt.Fprintln(out, reply(lines.Text())); err != nil {
			return fmt.Errorf("answering the parent process: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("waiting for the parent process: %w", err)
	}
	return nil
}

// A Process is the parent's side of a child that is ready. It is not safe for
// concurrent use.
type Process struct {
	PID   int
	Ready string // the child's first line: its address, say

	name   string // in errors: "NATS server"
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer
}

// Start starts this program with args and waits for the child's first line. The
// caller calls Stop.
func Start(name string, args ...string) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("starting the %s: finding this program: %w", name, err)
	}
	p := &Process{name: name, cmd: exec.Command(self, args...)} //nolint:gosec,noctx // this very program; Stop ends it
	p.cmd.Stderr = &p.stderr
	process.OwnGroup(p.cmd)
	var errIn, errOut error
	p.stdin, errIn = p.cmd.StdinPipe()
	stdout, errOut := p.cmd.StdoutPipe()
	if err := errors.Join(errIn, errOut); err != nil {
		return nil, fmt.Errorf("starting the %s: %w", name, err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the %s: %w", name, err)
	}
	p.PID, p.stdout = p.cmd.Process.Pid, bufio.NewReader(stdout)
	if p.Ready, err = p.line(); err != nil {
		_ = p.Stop()
		return nil, fmt.Errorf("the %s did not start: %w", name, p.complaint(err))
	}
	return p, nil
}

// Ask sends the child a line and returns the line with which it answers. After an
// error the child has been stopped.
func (p *Process) Ask(question string) (answer string, err error) {
	return p.AskWithin(0, question, strconv.Quote(question))
}

// AskWithin is Ask for a question that may have secrets: errors name it by a name. A child that
// takes longer than limit is killed; 0 is no limit.
func (p *Process) AskWithin(limit time.Duration, question, name string) (answer string, err error) {
	var late atomic.Bool
	if limit > 0 {
		timer := time.AfterFunc(limit, func() { late.Store(true); p.Kill() })
		defer timer.Stop()
	}
	if _, err = fmt.Fprintln(p.stdin, question); err == nil {
		answer, err = p.line()
	}
	if err == nil {
		return answer, nil
	}
	_ = p.Stop()
	if late.Load() {
		return "", fmt.Errorf("the %s does not answer %s within %v", p.name, name, limit)
	}
	if s := p.cmd.ProcessState; s != nil && !s.Success() {
		err = errors.New(s.String())
	}
	return "", fmt.Errorf("the %s does not answer %s: %w", p.name, name, p.complaint(err))
}

// Kill ends the child at once. It may be called while another goroutine asks.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() }

func (p *Process) line() (string, error) {
	text, err := p.stdout.ReadString('\n')
	return strings.TrimSpace(text), err
}

// complaint adds what the child wrote to its standard error. The child must have
// been stopped: until then it may still be writing.
func (p *Process) complaint(err error) error {
	if said := strings.TrimSpace(p.stderr.String()); said != "" {
		return fmt.Errorf("%w: %s", err, said)
	}
	return err
}

// Stop ends the child and returns when it has ended. It is safe to call twice.
func (p *Process) Stop() error {
	_ = p.stdin.Close() // the child sees its input end
	if p.cmd.ProcessState != nil {
		return nil
	}
	kill := time.AfterFunc(stopTimeout, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("stopping the %s: %w", p.name, p.complaint(err))
	}
	return nil
}
