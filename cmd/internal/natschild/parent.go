package natschild

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// stopTimeout is how long the child may take to end before it is killed.
const stopTimeout = 5 * time.Second

// A Server is a NATS server in a child process.
type Server struct {
	URL    string // nats://127.0.0.1:port
	PID    int
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr bytes.Buffer
}

// Start starts this very program as a server and returns when it serves. The
// caller calls Stop. Should the caller die without, the server notices that its
// input has ended, and ends.
func Start() (*Server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("natschild: finding this program: %w", err)
	}
	s := &Server{cmd: exec.Command(self, Command)} //nolint:gosec,noctx // this very program; Stop ends it
	s.cmd.Stderr = &s.stderr
	s.cmd.SysProcAttr = ownGroup()
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("natschild: starting: %w", err)
	}
	s.stdin = stdin
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("natschild: starting: %w", err)
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("natschild: starting: %w", err)
	}
	s.PID = s.cmd.Process.Pid
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		_ = s.Stop()
		return nil, fmt.Errorf("natschild: the server did not start: %w %s", err, strings.TrimSpace(s.stderr.String()))
	}
	s.URL = strings.TrimSpace(line)
	return s, nil
}

// Stop ends the server and returns when it has ended. It is safe to call twice.
func (s *Server) Stop() error {
	_ = s.stdin.Close() // the child sees its input end
	kill := time.AfterFunc(stopTimeout, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	if s.cmd.ProcessState != nil {
		return nil
	}
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("natschild: stopping: %w %s", err, strings.TrimSpace(s.stderr.String()))
	}
	return nil
}
