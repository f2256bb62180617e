// Package proxy is a TCP proxy that misbehaves, for tests: it stands between a
// client and a broker, and freezes, cuts, resets, half-closes and refuses
// connections, or changes the bytes that pass.
package proxy

import (
	"bytes"
	"encoding/binary"
	"net"
	"strconv"
	"sync"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

// A Proxy passes connections on to a broker. Its methods are safe for concurrent
// use.
type Proxy struct {
	Addr string // where it listens: host and port

	backend string
	relay   *relay.Relay

	mu       sync.Mutex
	refusing bool
	through  Through
	accepted int
	from     int          // the connection, counted from 1, with which then is called; 0: none
	then     func()       // not under the lock
	old, own []byte       // what the broker calls itself is replaced by this
	halved   map[int]bool // connections whose clients were told that nothing more comes
}

// New begins to pass connections on to backend, from a free port of 127.0.0.1. It
// ends with the test.
func New(tb testing.TB, backend string) *Proxy {
	tb.Helper()
	return Listen(tb, "127.0.0.1:0", backend)
}

// Listen is New at an address of one's own.
func Listen(tb testing.TB, address, backend string) *Proxy {
	tb.Helper()
	p := &Proxy{backend: backend, halved: make(map[int]bool)}
	var err error
	if p.relay, err = relay.Listen(relay.Options{Listen: address, Backend: backend}, relay.Hooks{Admit: p.admit, Through: p.pass}); err != nil {
		tb.Fatal(err)
	}
	p.Addr = p.relay.Addr()
	served := make(chan error, 1)
	go func() { served <- p.relay.Serve() }()
	tb.Cleanup(func() {
		_ = p.relay.Close()
		<-served
	})
	return p
}

// admit counts a connection, and does what was to be done with it.
func (p *Proxy) admit(number int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.accepted = max(p.accepted, number); number == p.from {
		p.mu.Unlock()
		p.then()
		p.mu.Lock()
	}
	return !p.refusing
}

// pass returns what is passed on of a piece.
func (p *Proxy) pass(piece Piece) []byte {
	p.mu.Lock()
	through := p.through
	if !piece.Up && p.halved[piece.Connection] {
		through = Swallow
	}
	if !piece.Up && p.old != nil {
		piece.Bytes = bytes.ReplaceAll(piece.Bytes, p.old, p.own)
	}
	p.mu.Unlock()
	if through == nil {
		return piece.Bytes
	}
	return through(piece)
}

// Pass sends every piece through a function from now on. With nil, pieces pass unchanged.
func (p *Proxy) Pass(through Through) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.through = through
}

// Freeze passes on nothing more, from either side.
func (p *Proxy) Freeze(on bool) { p.relay.Set(relay.State{Deaf: on, Mute: on}) }

// Deafen passes on nothing more to the broker.
func (p *Proxy) Deafen(on bool) { p.relay.Set(relay.State{Deaf: on}) }

// Heal ends what Freeze, Deafen and Pass began.
func (p *Proxy) Heal() {
	p.Freeze(false)
	p.Pass(nil)
}

// Refuse closes new connections at once.
func (p *Proxy) Refuse(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusing = on
}

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

// Cut closes every connection.
func (p *Proxy) Cut() { p.end(false) }

// Reset ends every connection with a RST.
func (p *Proxy) Reset() { p.end(true) }

func (p *Proxy) end(reset bool) {
	p.relay.Each(func(_ int, client, node *net.TCPConn) {
		for _, c := range []*net.TCPConn{client, node} {
			if c == nil {
				continue
			}
			if reset {
				_ = c.SetLinger(0)
			}
			_ = c.Close()
		}
	})
}

// HalfClose tells every client that the broker sends no more, and goes on passing
// to the broker what the client sends.
func (p *Proxy) HalfClose() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.relay.Each(func(number int, client, _ *net.TCPConn) {
		p.halved[number] = true
		_ = client.CloseWrite()
	})
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
	p.relay.Each(func(number int, _, _ *net.TCPConn) {
		if number <= n {
			open++
		}
	})
	return open
}
