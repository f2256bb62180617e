// Package service runs this program as a service in a child process, which sends messages back. It is
// the target of a URL without a host, such as http:, for a call without a broker.
package service

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// ErrStart means that the process did not start.
var ErrStart = errors.New("the service in another process")

// endLimit bounds the end of the process of a service.
const endLimit = 2 * time.Second

// Args are the arguments that make brokerbench the service of a scheme.
func Args(scheme string) []string { return []string{"service", scheme} }

// A Child is the process of a service. All connections of a factory use it. Init prepares it.
type Child struct {
	leftover.Shared

	Addr string // where it listens; set by Start

	args []string
	in   io.Closer
	cmd  *exec.Cmd
}

// Init prepares the service of a scheme. It starts nothing.
func (c *Child) Init(scheme string) {
	c.args = Args(scheme)
	c.Made = leftover.Made{Kind: "process", Name: "of the service " + scheme + ":", Delete: c.stop}
}

// Process returns the process; it is called after Start.
func (c *Child) Process() *os.Process { return c.cmd.Process }

// Start starts the process, which ends with its input. An error wraps [ErrStart].
func (c *Child) Start(ctx context.Context) error {
	if err := c.start(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrStart, err)
	}
	return nil
}

func (c *Child) start(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	c.cmd = exec.CommandContext(context.WithoutCancel(ctx), program, c.args...) //nolint:gosec // this program
	c.cmd.WaitDelay = endLimit
	process.OwnGroup(c.cmd) // a Ctrl-C in the terminal is for us
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.cmd.Start(); err != nil {
		return err
	}
	c.in = in
	c.Set(true)
	defer context.AfterFunc(ctx, func() { _ = c.cmd.Process.Kill() })()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("it did not say where it listens: %w", err)
	}
	c.Addr = strings.TrimSpace(line)
	return nil
}

// stop ends the process.
func (c *Child) stop(context.Context, string) error {
	kill := time.AfterFunc(endLimit, func() { _ = c.cmd.Process.Kill() })
	defer kill.Stop()
	err := c.in.Close()
	var exit *exec.ExitError
	if ended := c.cmd.Wait(); !errors.As(ended, &exit) { // one that was killed has ended, too
		err = errors.Join(err, ended)
	}
	return err
}

// Serve is the service: it writes its address, and serves until in ends, when it calls end.
func Serve(in io.Reader, out io.Writer, serve func(net.Listener) error, end func()) error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, l.Addr()); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		end()
	}()
	return serve(l)
}
