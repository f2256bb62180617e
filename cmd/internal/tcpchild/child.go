// Package tcpchild runs the TCP system of known behaviour in a child process: the
// echo of the floor, and what `brokerbench verify` measures.
package tcpchild

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/child"
	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/requester/loopback/tcp"
)

// Command is the hidden first argument of the child; the second is its
// loopback.Config in JSON.
const Command = "tcp-system-child"

// Serve is the child's main function. It writes its address, and answers each
// line with how late its latest reply was.
func Serve(config string, in io.Reader, out io.Writer) error {
	var cfg loopback.Config
	if err := json.Unmarshal([]byte(config), &cfg); err != nil {
		return fmt.Errorf("tcpchild: reading the configuration: %w", err)
	}
	s, err := tcp.Listen("127.0.0.1:0", cfg)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	if _, err := fmt.Fprintln(out, s.Addr()); err != nil {
		return fmt.Errorf("tcpchild: telling the parent: %w", err)
	}
	if err := child.Serve(in, out, func(string) string { return s.Late().String() }); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return fmt.Errorf("tcpchild: closing: %w", err)
	}
	return <-served
}

// A System is a TCP system in a child process.
type System struct {
	tcp.Factory // makes connections to it

	process *child.Process
}

// Start starts a system that behaves as cfg says. The caller calls Stop.
func Start(cfg loopback.Config) (*System, error) {
	config, err := json.Marshal(cfg)
	if err != nil {
		return nil, fmt.Errorf("tcpchild: writing the configuration: %w", err)
	}
	p, err := child.Start(Command, string(config))
	if err != nil {
		return nil, err
	}
	return &System{tcp.Factory{Addr: p.Ready}, p}, nil
}

// Late asks the system by how much its latest reply left after its moment.
func (s *System) Late() (time.Duration, error) {
	answer, err := s.process.Ask("late?")
	if err != nil {
		return 0, err
	}
	return time.ParseDuration(answer)
}

// Stop ends the system. It is safe to call twice.
func (s *System) Stop() error { return s.process.Stop() }
