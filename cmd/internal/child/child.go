// Package child runs parts of brokerbench in processes of their own: this very
// program, started with a hidden argument.
//
// Parent and child speak over the child's standard streams. The child's first
// line says that it is ready; after that it may answer each line that it is sent
// with one of its own. It ends when its standard input ends, so it also ends when
// its parent is killed.
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

// Serve runs this process as a child if args, without the program's name, are
// those of one. It then returns when in ends.
func Serve(args []string, in io.Reader, out io.Writer) (isChild bool, err error) {
	switch {
	case len(args) == 2 && args[0] == natsCommand && Store(args[1]).known():
		return true, serveNATS(Store(args[1]), in, out)
	case len(args) == 2 && args[0] == tcpCommand:
		return true, serveTCP(args[1], in, out)
	case len(args) == 2 && args[0] == pauseCommand:
		return true, servePause(args[1], in, out)
	}
	return false, nil
}

// answer writes the child's first line and then answers each line of in. It
// returns when in ends. With a nil reply it reads the lines and answers none.
func answer(in io.Reader, out io.Writer, ready string, reply func(question string) string) error {
	if _, err := fmt.Fprintln(out, ready); err != nil {
		return fmt.Errorf("reporting to the parent process: %w", err)
	}
	lines := bufio.NewScanner(in)
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

// A process is the parent's side of a child that is ready. It is not safe for
// concurrent use.
type process struct {
	PID   int
	name  string // in errors: "NATS server"
	ready string // the child's first line: its address, say

	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer
}

// start starts this program with args and waits for the child's first line. The
// caller calls Stop.
func start(name string, args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("starting the %s: finding this program: %w", name, err)
	}
	p := &process{name: name, cmd: exec.Command(self, args...)} //nolint:gosec,noctx // this very program; Stop ends it
	p.cmd.Stderr = &p.stderr
	p.cmd.SysProcAttr = ownGroup()
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
	if p.ready, err = p.line(); err != nil {
		_ = p.Stop()
		return nil, fmt.Errorf("the %s did not start: %w", name, p.complaint(err))
	}
	return p, nil
}

// ask sends the child a line and returns the line with which it answers. After an
// error the child has been stopped.
func (p *process) ask(question string) (answer string, err error) {
	_, err = fmt.Fprintln(p.stdin, question)
	if err == nil {
		answer, err = p.line()
	}
	if err != nil {
		_ = p.Stop()
		return "", fmt.Errorf("the %s does not answer %q: %w", p.name, question, p.complaint(err))
	}
	return answer, nil
}

func (p *process) line() (string, error) {
	text, err := p.stdout.ReadString('\n')
	return strings.TrimSpace(text), err
}

// complaint adds what the child wrote to its standard error. The child must have
// been stopped: until then it may still be writing.
func (p *process) complaint(err error) error {
	if said := strings.TrimSpace(p.stderr.String()); said != "" {
		return fmt.Errorf("%w: %s", err, said)
	}
	return err
}

// Stop ends the child and returns when it has ended. It is safe to call twice.
func (p *process) Stop() error {
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
