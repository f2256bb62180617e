package brokertest

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"sync"
	"testing"
)

// A Proxy stands between connections and a broker, and misbehaves when it is told
// to.
type Proxy struct {
	Addr    string
	backend string
	old     []byte // what the broker calls itself: replaced in what it says
	own     []byte

	mu       sync.Mutex
	changed  *sync.Cond
	is       map[Fault]bool
	from     int // the connection, counted from 1, with which then begins; 0: none
	then     Fault
	accepted int
	conns    []net.Conn
}

// A Fault is how a [Proxy] misbehaves.
type Fault int

// The faults.
const (
	Frozen  Fault = iota + 1 // nothing is read
	Deaf                     // nothing is read that is for the broker
	Closing                  // new connections are closed at once
	Silent                   // new connections are accepted and read, and nothing is ever said
	Gone                     // every connection is closed, and new ones at once
)

// NewProxy begins to forward to backend, a host and port. It ends with the test.
func NewProxy(t testing.TB, backend string) *Proxy {
	t.Helper()
	p := &Proxy{backend: backend, is: make(map[Fault]bool)}
	p.changed = sync.NewCond(&p.mu)
	p.Addr = Accept(t, p.serve)
	t.Cleanup(func() {
		p.Set(Frozen, false)
		p.Set(Deaf, false)
		p.Cut()
	})
	return p
}

// Advertise replaces, in what the broker says, its own address by the proxy's, as
// Kafka writes it: the host, and the port as 4 bytes. Both must be on one host.
func (p *Proxy) Advertise() { p.old, p.own = advertised(p.backend), advertised(p.Addr) }

func advertised(addr string) []byte {
	host, port, _ := net.SplitHostPort(addr)
	n, _ := strconv.ParseUint(port, 10, 32)
	return binary.BigEndian.AppendUint32([]byte(host), uint32(n))
}

// Set begins a fault, or ends it.
func (p *Proxy) Set(f Fault, value bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(f, value)
}

func (p *Proxy) set(f Fault, value bool) {
	p.is[f] = value
	p.changed.Broadcast()
	if f == Gone && value {
		p.cut()
	}
}

// From begins a fault with the nth connection.
func (p *Proxy) From(nth int, f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.from, p.then = nth, f
}

// Cut closes every connection.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut()
}

func (p *Proxy) cut() {
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

// Connections returns how many connections there were.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := new(net.Dialer).DialContext(context.Background(), "tcp", p.backend)
	if err != nil {
		return
	}
	defer server.Close()
	fault := p.admit(client, server)
	if fault == Silent {
		_, _ = io.Copy(io.Discard, client)
	}
	if fault == Silent || fault == Closing {
		return
	}
	var replies sync.WaitGroup
	replies.Go(func() { p.copy(client, server, false) })
	p.copy(server, client, true)
	replies.Wait()
}

// admit counts a connection and returns its fault.
func (p *Proxy) admit(client, server net.Conn) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.accepted++; p.from > 0 && p.accepted == p.from {
		p.set(p.then, true)
	}
	if p.is[Closing] || p.is[Gone] {
		return Closing
	}
	p.conns = append(p.conns, client, server)
	if p.is[Silent] {
		return Silent
	}
	return 0
}

// copy passes bytes on until one side ends.
func (p *Proxy) copy(to, from net.Conn, up bool) {
	defer to.Close()
	defer from.Close()
	for buf := make([]byte, 64<<10); ; {
		p.wait(up)
		n, err := from.Read(buf)
		p.wait(up)
		said := buf[:n]
		if !up && p.old != nil {
			said = bytes.ReplaceAll(said, p.old, p.own)
		}
		if _, failed := to.Write(said); failed != nil || err != nil {
			return
		}
	}
}

// wait returns when the proxy passes on bytes, to the broker if up.
func (p *Proxy) wait(up bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.is[Frozen] || up && p.is[Deaf] {
		p.changed.Wait()
	}
}
