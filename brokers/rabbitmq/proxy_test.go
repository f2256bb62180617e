package rabbitmq

import (
	"net"
	"sync"
	"testing"
)

// A proxy stands between a connection and the broker, and misbehaves.
type proxy struct {
	listener net.Listener
	backend  string

	mu       sync.Mutex
	thawed   *sync.Cond
	frozen   bool // nothing is read
	deaf     bool // nothing is read that is for the broker
	refusing bool
	accepted int
	conns    []net.Conn
	copies   sync.WaitGroup
}

// newProxy begins to forward to backend. It ends with the test.
func newProxy(t testing.TB, backend string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, backend: backend}
	p.thawed = sync.NewCond(&p.mu)
	p.copies.Go(p.serve)
	t.Cleanup(func() {
		_ = listener.Close()
		p.freeze(false)
		p.deafen(false)
		p.cut()
		p.copies.Wait()
	})
	return p
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.backend)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.accepted++
		refusing := p.refusing
		if !refusing {
			p.conns = append(p.conns, client, server)
		}
		p.mu.Unlock()
		if refusing {
			_ = client.Close()
			_ = server.Close()
			continue
		}
		p.copies.Go(func() { p.copy(server, client, true) })
		p.copies.Go(func() { p.copy(client, server, false) })
	}
}

// copy passes bytes on until one side ends, or the proxy is frozen.
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
		p.thawed.Wait()
	}
}

// freeze stops, or resumes, passing on bytes: nobody reads the sockets.
func (p *proxy) freeze(frozen bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = frozen
	p.thawed.Broadcast()
}

// deafen stops, or resumes, passing on bytes to the broker alone.
func (p *proxy) deafen(deaf bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deaf = deaf
	p.thawed.Broadcast()
}

// refuse closes new connections at once.
func (p *proxy) refuse(refusing bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusing = refusing
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
