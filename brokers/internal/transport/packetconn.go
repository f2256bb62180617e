package transport

import (
	"bufio"
	"errors"
	"net"
	"sync"
)

// readBuffer is how much a PacketConn reads at once, and writeBuffer up to which size it
// copies a packet into one piece.
const (
	readBuffer  = 32 << 10
	writeBuffer = 16 << 10
)

// A PacketConn is a socket for clients that read the head of a packet byte by byte, and write a
// packet in pieces: here all packets that have come are one read, and everything that is
// written between Lock and Unlock is one write.
type PacketConn struct {
	net.Conn // TLS included
	Socket

	reader *bufio.Reader

	mu  sync.Mutex
	out []byte
	err error // why nothing is written any longer
}

// NewPacketConn returns a PacketConn over a connection and the socket under it.
func NewPacketConn(conn net.Conn, s Socket) *PacketConn {
	return &PacketConn{Conn: conn, Socket: s, reader: bufio.NewReaderSize(conn, readBuffer)}
}

// Read implements net.Conn.
func (p *PacketConn) Read(b []byte) (int, error) { return p.reader.Read(b) }

// Write implements net.Conn. The caller has the lock.
func (p *PacketConn) Write(b []byte) (int, error) {
	if p.err == nil && len(p.out)+len(b) <= writeBuffer {
		p.out = append(p.out, b...)
		return len(b), nil
	}
	if p.flush(); p.err == nil {
		_, p.err = p.Conn.Write(b)
	}
	return len(b), p.err
}

// Lock implements [sync.Locker]: a packet begins.
func (p *PacketConn) Lock() { p.mu.Lock() }

// Unlock implements [sync.Locker]: the packet is complete. If it cannot be written, the
// connection ends, so that the goroutine that reads notices.
func (p *PacketConn) Unlock() {
	if p.flush(); p.err != nil {
		p.Cut()
	}
	p.mu.Unlock()
}

// flush writes the pieces that were copied.
func (p *PacketConn) flush() {
	if p.err == nil && len(p.out) > 0 {
		_, p.err = p.Conn.Write(p.out)
	}
	p.out = p.out[:0]
}

// Err returns why nothing is written any longer; nil if writing works. Clients do not see
// that the last piece of a packet was not written.
func (p *PacketConn) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Close implements net.Conn. It does not say goodbye over TLS, which may take 5 s.
func (p *PacketConn) Close() error {
	if err := p.raw.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
