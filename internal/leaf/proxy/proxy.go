// Package proxy is a TCP proxy that misbehaves, for tests: it stands between a
// client and a broker, and freezes, cuts, resets, half-closes and refuses
// connections, or changes the bytes that pass.
package proxy

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// A Proxy passes connections on to a broker. Its methods are safe for concurrent
// use.
type Proxy struct {
	Addr string // where it listens: host and port

	backend  string
	listener net.Listener
	running  sync.WaitGroup

	mu       sync.Mutex
	changed  *sync.Cond
	frozen   bool
	deaf     bool
	refusing bool
	through  Through
	accepted int
	from     int    // the connection, counted from 1, with which then is called; 0: none
	then     func() // not under the lock
	old, own []byte // what the broker calls itself is replaced by this
	links    map[*link]bool
}

// A link is a connection of a client with the one to the broker that belongs to it.
type link struct {
	number         int
	client, server *net.TCPConn
	halved         atomic.Bool // the client was told that nothing more comes
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
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", address)
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{Addr: l.Addr().String(), backend: backend, listener: l, links: make(map[*link]bool)}
	p.changed = sync.NewCond(&p.mu)
	p.running.Go(p.accept)
	tb.Cleanup(p.close)
	return p
}

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.serve(c.(*net.TCPConn)) })
	}
}

func (p *Proxy) close() {
	_ = p.listener.Close()
	p.Refuse(true)
	p.Heal()
	p.Cut()
	p.running.Wait()
}

// serve passes one connection on until both sides have ended.
func (p *Proxy) serve(client *net.TCPConn) {
	defer client.Close()
	number, refusing := p.admit()
	if refusing {
		return
	}
	server, err := new(net.Dialer).DialContext(context.Background(), "tcp", p.backend)
	if err != nil {
		_ = client.SetLinger(0) // as if nothing listened here either
		return
	}
	defer server.Close()
	l := &link{number: number, client: client, server: server.(*net.TCPConn)}
	if !p.add(l) {
		return
	}
	defer p.remove(l)
	var replies sync.WaitGroup
	replies.Go(func() { p.pass(l, false) })
	p.pass(l, true)
	replies.Wait()
}

// admit counts a connection, and does what was to be done with it.
func (p *Proxy) admit() (number int, refusing bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	number = p.accepted
	if p.accepted++; p.accepted == p.from {
		p.mu.Unlock()
		p.then()
		p.mu.Lock()
	}
	return number, p.refusing
}

// add fails if the proxy began to refuse in the meantime: Cut may be over already.
func (p *Proxy) add(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.refusing {
		p.links[l] = true
	}
	return !p.refusing
}

func (p *Proxy) remove(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}

// pass passes bytes on in one direction until one side ends.
func (p *Proxy) pass(l *link, up bool) {
	from, to := l.server, l.client
	if up {
		from, to = l.client, l.server
	}
	defer to.Close()
	defer from.Close()
	before := int64(0)
	for buf := make([]byte, 64<<10); ; {
		p.wait(up)
		n, err := from.Read(buf)
		through := p.wait(up)
		passed := p.advertised(up, buf[:n])
		if through != nil && n > 0 {
			passed = through(Piece{Up: up, Connection: l.number, Before: before, Bytes: passed})
		}
		before += int64(n)
		if !up && l.halved.Load() && err == nil {
			continue
		}
		if _, failed := to.Write(passed); failed != nil || err != nil {
			return
		}
	}
}

// wait returns when the proxy passes on bytes, to the broker if up. It returns the function
// that the bytes go through.
func (p *Proxy) wait(up bool) Through {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.frozen || up && p.deaf {
		p.changed.Wait()
	}
	return p.through
}
