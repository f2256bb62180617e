// Package natschild runs a NATS server in a child process, for `brokerbench run`
// without a target: a real broker behind a real socket, with nothing to install.
// It is a process of its own so that its scheduler and its garbage collector are
// not brokerbench's.
package natschild

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats-server/v2/server"
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
	if _, err := io.Copy(io.Discard, in); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("natschild: waiting for the parent: %w", err)
	}
	return nil
}
