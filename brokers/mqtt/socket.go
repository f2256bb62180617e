package mqtt

import (
	"bufio"
	"errors"
	"net"
	"sync"
)

// readBuffer is how much a socket reads at once, and writeBuffer up to which size what it
// writes is copied into one piece.
const (
	readBuffer  = 32 << 10
	writeBuffer = 16 << 10
)

// A socket is the connection that paho reads and writes. paho reads the head of a packet byte by
// byte, and writes a packet in four pieces: here a packet is one write, and as many packets
// one read as have come. As a [sync.Locker] paho holds it while it writes a packet.
type socket struct {
	net.Conn // TLS included

	raw    net.Conn // without TLS
	reader *bufio.Reader

	mu     sync.Mutex
	out    []byte
	failed error // why nothing is written any more
}

func newSocket(conn, raw net.Conn) *socket {
	return &socket{Conn: conn, raw: raw, reader: bufio.NewReaderSize(conn, readBuffer)}
}

// Read implements net.Conn.
func (s *socket) Read(b []byte) (int, error) { return s.reader.Read(b) }

// Write implements net.Conn. The caller has the lock.
func (s *socket) Write(b []byte) (int, error) {
	if s.failed != nil {
		return 0, s.failed
	}
	if len(s.out)+len(b) <= writeBuffer {
		s.out = append(s.out, b...)
		return len(b), nil
	}
	if s.flush(); s.failed == nil {
		_, s.failed = s.Conn.Write(b)
	}
	return len(b), s.failed
}

// Lock implements [sync.Locker]: a packet begins.
func (s *socket) Lock() { s.mu.Lock() }

// Unlock implements [sync.Locker]: the packet is whole. If it cannot be written, the
// connection ends: whoever reads learns it.
func (s *socket) Unlock() {
	s.flush()
	if s.failed != nil {
		s.cut()
	}
	s.mu.Unlock()
}

// flush writes what has gathered.
func (s *socket) flush() {
	if s.failed == nil && len(s.out) > 0 {
		_, s.failed = s.Conn.Write(s.out)
	}
	s.out = s.out[:0]
}

// writable returns why nothing is written any more; nil if it is.
func (s *socket) writable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// cut ends whatever hangs on the connection.
func (s *socket) cut() { _ = s.raw.Close() }

// Close implements net.Conn. Closing TLS may take 5 s, so it does not say farewell.
func (s *socket) Close() error {
	if err := s.raw.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
