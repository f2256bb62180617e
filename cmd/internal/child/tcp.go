package child

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/requester/loopback/tcp"
)

// tcpCommand starts this program as a TCP system. The argument after it is its
// loopback.Config in JSON.
const tcpCommand = "tcp-system-child"

// TCP is a loopback system behind TCP in a child process: the echo of the floor,
// and what `brokerbench verify` measures. As a Factory it makes connections to
// that system.
type TCP struct {
	tcp.Factory
	*process
}

// StartTCP starts a system that behaves as cfg says. The caller calls Stop.
func StartTCP(cfg loopback.Config) (*TCP, error) {
	config, err := json.Marshal(cfg)
	if err != nil {
		return nil, fmt.Errorf("starting the TCP system: %w", err)
	}
	p, err := start("TCP system", tcpCommand, string(config))
	if err != nil {
		return nil, err
	}
	return &TCP{tcp.Factory{Addr: p.ready}, p}, nil
}

// Late returns how long after it was due the most delayed reply of the system left.
func (t *TCP) Late() (time.Duration, error) {
	answer, err := t.ask("late?")
	if err != nil {
		return 0, err
	}
	return time.ParseDuration(answer)
}

// serveTCP answers every line with the time that Late returns.
func serveTCP(config string, in io.Reader, out io.Writer) error {
	var cfg loopback.Config
	if err := json.Unmarshal([]byte(config), &cfg); err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	s, err := tcp.Listen("127.0.0.1:0", cfg)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	if err := answer(in, out, s.Addr(), func(string) string { return s.Late().String() }); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return fmt.Errorf("closing the listener: %w", err)
	}
	return <-served
}
