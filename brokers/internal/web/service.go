package web

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// ServeArgs are the arguments that make brokerbench the service.
func ServeArgs() []string { return []string{"service", "http"} }

// endLimit bounds the end of the process of a service.
const endLimit = 2 * time.Second

// A service is a child process that answers every POST with its body. All connections of a factory use it.
type service struct {
	leftover.Shared

	addr string // where it listens
	in   io.Closer
	cmd  *exec.Cmd
}

// start starts the process, which ends with its input.
func (s *service) start(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	s.cmd = exec.CommandContext(context.WithoutCancel(ctx), program, ServeArgs()...) //nolint:gosec // this program
	s.cmd.WaitDelay = endLimit
	process.OwnGroup(s.cmd) // a Ctrl-C in the terminal is for us
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.in = in
	s.Set(true)
	defer context.AfterFunc(ctx, func() { _ = s.cmd.Process.Kill() })()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("it did not say where it listens: %w", err)
	}
	s.addr = strings.TrimSpace(line)
	return nil
}

// stop ends the process.
func (s *service) stop(context.Context, string) error {
	kill := time.AfterFunc(endLimit, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	err := s.in.Close()
	var exit *exec.ExitError
	if ended := s.cmd.Wait(); !errors.As(ended, &exit) { // one that was killed has ended, too
		err = errors.Join(err, ended)
	}
	return err
}

// Serve is the service: it writes its address, and ends with in.
func Serve(in io.Reader, out io.Writer) error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, l.Addr()); err != nil {
		return err
	}
	server := &http.Server{Handler: echo(), Protocols: new(http.Protocols), ReadHeaderTimeout: time.Minute}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	go func() {
		_, _ = io.Copy(io.Discard, in)
		_ = server.Close()
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// echo answers with the body.
func echo() http.Handler {
	bodies := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := bodies.Get().(*bytes.Buffer)
		defer bodies.Put(body)
		body.Reset()
		if _, err := body.ReadFrom(r.Body); err != nil {
			return // the client has gone
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", fmt.Sprint(body.Len()))
		_, _ = w.Write(body.Bytes())
	})
}
