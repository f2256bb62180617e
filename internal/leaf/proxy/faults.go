package proxy

import (
	"bytes"
	"encoding/binary"
	"net"
	"strconv"
	"sync/atomic"
	"time"
)

// A Piece is what a proxy read from one side of a connection.
type Piece struct {
	Up         bool  // it is on its way to the broker
	Connection int   // counted from 0, in the order of accepting
	Before     int64 // bytes of this connection that went the same way before it
	Bytes      []byte
}

// A Through says what goes on in place of a piece; nothing, if it is empty. It may
// change the bytes, and it may take its time: later pieces wait. It is called by
// several goroutines.
type Through func(Piece) []byte

// Pass sends every piece through a function from now on. With nil, pieces pass unchanged.
func (p *Proxy) Pass(through Through) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.through = through
}

// Freeze reads nothing more, from either side.
func (p *Proxy) Freeze(on bool) { p.set(&p.frozen, on) }

// Deafen reads nothing more that is for the broker.
func (p *Proxy) Deafen(on bool) { p.set(&p.deaf, on) }

// Refuse closes new connections at once.
func (p *Proxy) Refuse(on bool) { p.set(&p.refusing, on) }

// From calls a function, such as one that begins a fault, when the nth connection
// comes, counted from 1 and since the proxy began.
func (p *Proxy) From(nth int, then func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.from, p.then = nth, then
}

// Advertise replaces, in what the broker says, its own address by the proxy's, as
// Kafka writes it: the host, and the port as 4 bytes. Both must be on one host. It
// comes before anything that Pass does.
func (p *Proxy) Advertise() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.old, p.own = written(p.backend), written(p.Addr)
}

func written(addr string) []byte {
	host, port, _ := net.SplitHostPort(addr)
	n, _ := strconv.ParseUint(port, 10, 32)
	return binary.BigEndian.AppendUint32([]byte(host), uint32(n))
}

func (p *Proxy) advertised(up bool, said []byte) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if up || p.old == nil {
		return said
	}
	return bytes.ReplaceAll(said, p.old, p.own)
}

// Heal ends what Freeze, Deafen and Pass began.
func (p *Proxy) Heal() {
	p.Freeze(false)
	p.Deafen(false)
	p.Pass(nil)
}

func (p *Proxy) set(what *bool, on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*what = on
	p.changed.Broadcast()
}

// Cut closes every connection.
func (p *Proxy) Cut() {
	p.each(func(l *link) { _, _ = l.client.Close(), l.server.Close() })
}

// Reset ends every connection with a RST to the client.
func (p *Proxy) Reset() {
	p.each(func(l *link) { _, _, _ = l.client.SetLinger(0), l.client.Close(), l.server.Close() })
}

// HalfClose tells every client that the broker sends no more, and goes on passing
// to the broker what the client sends.
func (p *Proxy) HalfClose() {
	p.each(func(l *link) {
		l.halved.Store(true)
		_ = l.client.CloseWrite()
	})
}

func (p *Proxy) each(do func(*link)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		do(l)
	}
}

// Accepted returns how many connections clients have made so far.
func (p *Proxy) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// Open returns how many of the first n connections that clients have made are
// passed on now.
func (p *Proxy) Open(n int) (open int) {
	p.each(func(l *link) {
		if l.number < n {
			open++
		}
	})
	return open
}

// Swallow passes nothing on, as a broker that accepts and then says nothing.
func Swallow(Piece) []byte { return nil }

// SwallowFrom is Swallow for the nth connection, counted from 1, and those after it.
func SwallowFrom(nth int) Through {
	return func(piece Piece) []byte {
		if piece.Connection+1 >= nth {
			return nil
		}
		return piece.Bytes
	}
}

// Delay holds every piece for a while.
func Delay(d time.Duration) Through {
	return func(piece Piece) []byte {
		time.Sleep(d)
		return piece.Bytes
	}
}

// SilentAfter passes on the first bytes that the broker says on each connection,
// and nothing after them.
func SilentAfter(bytes int64) Through {
	return func(piece Piece) []byte {
		if piece.Up {
			return piece.Bytes
		}
		return piece.Bytes[:max(0, min(bytes-piece.Before, int64(len(piece.Bytes))))]
	}
}

// Duplicate passes on twice what the broker says.
func Duplicate(piece Piece) []byte {
	if piece.Up {
		return piece.Bytes
	}
	return append(piece.Bytes, piece.Bytes...)
}

// Garble spoils one byte of each piece that the broker says.
func Garble(piece Piece) []byte {
	if !piece.Up {
		piece.Bytes[len(piece.Bytes)/2] ^= 0x20
	}
	return piece.Bytes
}

// Drop loses one of n pieces that the broker says.
func Drop(n int64) Through {
	var pieces atomic.Int64
	return func(piece Piece) []byte {
		if !piece.Up && pieces.Add(1)%n == 0 {
			return nil
		}
		return piece.Bytes
	}
}
