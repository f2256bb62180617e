package rabbitmq

import (
	"net"
	"sync"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

// A proxy stands between a connection and the broker, and misbehaves.
type proxy struct {
	addr, backend string

	mu       sync.Mutex
	changed  *sync.Cond
	frozen   bool // nothing is read
	deaf     bool // nothing is read that is for the broker
	refusing bool // new connections are closed at once
	accepted int
	conns    []net.Conn
}

// newProxy begins to forward to backend. It ends with the test.
func newProxy(t testing.TB, backend string) *proxy {
	t.Helper()
	p := &proxy{backend: backend}
	p.changed = sync.NewCond(&p.mu)
	p.addr = brokertest.Accept(t, p.serve)
	t.Cleanup(func() {
		p.set(&p.frozen, false)
		p.set(&p.deaf, false)
		p.cut()
	})
	return p
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.backend)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.accepted++
	refusing := p.refusing
	if !refusing {
		p.conns = append(p.conns, client, server)
	}
	p.mu.Unlock()
	if refusing {
		return
	}
	var replies sync.WaitGroup
	replies.Go(func() { p.copy(client, server, false) })
	p.copy(server, client, true)
	replies.Wait()
}

// copy passes bytes on until one side ends.
func (p *proxy) copy(to, from net.Conn, up bool) {
	defer to.Close()
	defer from.Close()
	for buf := make([]byte, 64<<10); ; {
		p.wait(up)
		n, err := from.Read(buf)
		p.wait(up)
		if _, failed := to.Write(buf[:n]); failed != nil || err != nil {
			return
		}
	}
}

// wait returns when the proxy passes on bytes, to the broker if up.
func (p *proxy) wait(up bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.frozen || up && p.deaf {
		p.changed.Wait()
	}
}

// set changes how the proxy misbehaves.
func (p *proxy) set(what *bool, value bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*what = value
	p.changed.Broadcast()
}

// cut closes every connection.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

func (p *proxy) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}
