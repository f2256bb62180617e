package child

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/self"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/loopback/tcp"
)

// tcpCommand starts this program as a TCP system. The argument after it is its
// tcpConfig in JSON.
const tcpCommand = "tcp-system-child"

// tcpConfig is what the child is told: how the system behaves, and how large its
// journal is. Without messages it keeps none.
type tcpConfig struct {
	loopback.Config
	Connections, Messages int
}

// TCP is a loopback system behind TCP in a child process: the echo of the floor,
// and what `brokerbench verify` measures. As a Factory it makes connections to
// that system.
type TCP struct {
	tcp.Factory
	*self.Process
}

// StartTCP starts a system that behaves as cfg says. The caller calls Stop.
func StartTCP(cfg loopback.Config) (*TCP, error) { return startSystem(tcpConfig{Config: cfg}) }

// StartWitness is StartTCP for a system that keeps a journal of that many messages
// over that many connections.
func StartWitness(cfg loopback.Config, connections, messages int) (*TCP, error) {
	return startSystem(tcpConfig{cfg, connections, messages})
}

func startSystem(cfg tcpConfig) (*TCP, error) {
	config, err := json.Marshal(cfg)
	if err != nil {
		return nil, fmt.Errorf("starting the TCP system: %w", err)
	}
	p, err := self.Start("TCP system", tcpCommand, string(config))
	if err != nil {
		return nil, err
	}
	return &TCP{tcp.Factory{Addr: p.Ready}, p}, nil
}

// Late returns how long after it was due the most delayed reply of the system left.
func (t *TCP) Late() (time.Duration, error) {
	answer, err := t.Ask(late)
	if err != nil {
		return 0, err
	}
	return time.ParseDuration(answer)
}

// Record returns what the system noted until now; only of a system that
// StartWitness started.
func (t *TCP) Record() (r loopback.Record, err error) {
	answer, err := t.Ask(record)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal([]byte(answer), &r); err != nil {
		return r, fmt.Errorf("reading the record of the TCP system: %w", err)
	}
	return r, nil
}

// The parent's requests.
const (
	late   = "late?"
	record = "record?"
)

// serveTCP answers what the parent asks for.
func serveTCP(config string, in io.Reader, out io.Writer) error {
	var cfg tcpConfig
	if err := json.Unmarshal([]byte(config), &cfg); err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	s, err := tcp.Listen("127.0.0.1:0", cfg.Config)
	if err != nil {
		return err
	}
	if cfg.Messages > 0 {
		s.Keep(loopback.NewJournal(cfg.Connections, cfg.Messages))
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	if err := self.Answer(in, out, s.Addr(), func(question string) string { return report(s, question) }); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return fmt.Errorf("closing the listener: %w", err)
	}
	return <-served
}

func report(s *tcp.Server, question string) string {
	if question == late {
		return s.Late().String()
	}
	text, err := json.Marshal(s.Record())
	if err != nil {
		return err.Error() // which is no record
	}
	return string(text)
}
