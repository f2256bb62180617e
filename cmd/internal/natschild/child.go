// Package natschild runs a NATS server in a child process, for `brokerbench run`
// without a target: a real broker behind a real socket, with nothing to install.
// It is a process of its own so that its scheduler and its garbage collector are
// not brokerbench's.
package natschild

import (
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/brokerbench/brokerbench/cmd/internal/child"
)

// Command is the hidden argument with which brokerbench starts itself as a server.
const Command = "nats-server-child"

// readyTimeout is how long the server may take to accept connections; it takes
// some 30 ms.
const readyTimeout = 10 * time.Second

// Serve is the child's main function: it serves on a free loopback port, writes
// its URL and a newline to out, and returns when in ends, which is when the
// parent closes it or dies.
func Serve(in io.Reader, out io.Writer) error {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		return fmt.Errorf("natschild: making the server: %w", err)
	}
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(readyTimeout) {
		return fmt.Errorf("natschild: not ready within %v", readyTimeout)
	}
	if _, err := fmt.Fprintln(out, s.ClientURL()); err != nil {
		return fmt.Errorf("natschild: telling the parent: %w", err)
	}
	return child.Serve(in, out, nil)
}

// A Server is a NATS server in a child process.
type Server struct {
	URL string // nats://127.0.0.1:port
	PID int

	process *child.Process
}

// Start starts this very program as a server and returns when it serves. The
// caller calls Stop.
func Start() (*Server, error) {
	p, err := child.Start(Command)
	if err != nil {
		return nil, err
	}
	return &Server{URL: p.Ready, PID: p.PID, process: p}, nil
}

// Stop ends the server and returns when it has ended. It is safe to call twice.
func (s *Server) Stop() error { return s.process.Stop() }
