// Package tcp puts the loopback system behind real sockets: a server, which runs in
// a separate process, and a requester for it. Because the system follows its
// configuration exactly, everything else in a measurement comes from the tool and
// the kernel. With a zero [loopback.Config] it is an echo: the floor, which no
// broker can be faster than. With delays and freezes `brokerbench verify` proves
// the engine with it. It is not a broker.
package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
)

// A Server is the loopback system on a TCP port.
type Server struct {
	cfg      loopback.Config
	listener net.Listener
	late     atomic.Int64
	journal  *loopback.Journal // nil: nothing is noted
	pulse    *loopback.Pulse   // with a journal

	seats seats // of an echo

	began func() time.Time // when the first request of all came, which calls it

	mu     sync.Mutex
	conns  map[net.Conn]bool
	closed bool
	serve  sync.WaitGroup
}

// Listen returns a server on an address such as 127.0.0.1:0. It answers once Serve
// is called. It refuses a cfg that duplicates or corrupts. Freezes and slow phases
// are counted from the first request of any connection.
func Listen(address string, cfg loopback.Config) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Duplicate != 0 || cfg.Corrupt != 0 {
		return nil, errors.New("TCP system: it cannot duplicate or corrupt replies")
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("TCP system: %w", err)
	}
	return &Server{cfg: cfg, listener: l, began: sync.OnceValue(time.Now), conns: make(map[net.Conn]bool)}, nil
}

// Keep makes the server note when each message comes and when its reply leaves, and
// whether it stood still meanwhile. Call it before Serve.
func (s *Server) Keep(j *loopback.Journal) { s.journal, s.pulse = j, loopback.Beat() }

// Record returns what was noted until now; only after Keep.
func (s *Server) Record() loopback.Record {
	return s.journal.Record(s.began(), s.pulse.Still())
}

// Addr returns host:port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Late returns how long after it was due the most delayed reply left: the system's
// own error. It may be called at any time.
func (s *Server) Late() time.Duration { return time.Duration(s.late.Load()) }

// Serve serves until Close. It returns after every connection has ended.
func (s *Server) Serve() error {
	defer s.serve.Wait()
	for {
		c, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("TCP system: %w", err)
		}
		if !s.add(c) {
			continue
		}
		s.serve.Go(func() {
			defer s.remove(c)
			if s.echoes() {
				s.seats.echo(c)
				return
			}
			(&line{server: s, socket: c, wake: make(chan struct{}, 1)}).serve()
		})
	}
}

// Close ends the server and its connections.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pulse != nil && !s.closed {
		s.pulse.Stop()
	}
	s.closed = true
	for c := range s.conns {
		_ = c.Close()
	}
	return s.listener.Close()
}

// echoes reports whether the system answers everything at once.
func (s *Server) echoes() bool {
	return s.journal == nil && s.cfg.Delay == 0 && s.cfg.Drop == 0 && len(s.cfg.Slow) == 0 && len(s.cfg.Freezes) == 0
}

func (s *Server) add(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = c.Close()
		return false
	}
	s.conns[c] = true
	return true
}

func (s *Server) remove(c net.Conn) {
	_ = c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// keepLate keeps the largest d.
func (s *Server) keepLate(d time.Duration) {
	for {
		old := s.late.Load()
		if int64(d) <= old || s.late.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}
