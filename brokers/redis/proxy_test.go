package redis

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/redis/go-redis/v9"
)

// A halfCloser is a proxy that, when it is told to, closes its side of every
// connection towards the client and no other. It closes those towards the server
// when the client has closed its own side.
type halfCloser struct {
	addr string

	mu      sync.Mutex
	clients []*net.TCPConn
}

func newHalfCloser(t testing.TB, server string) *halfCloser {
	t.Helper()
	p := new(halfCloser)
	p.addr = brokertest.Accept(t, func(client net.Conn) {
		defer client.Close()
		back, err := net.Dial("tcp", server)
		if err != nil {
			return
		}
		defer back.Close()
		p.mu.Lock()
		p.clients = append(p.clients, client.(*net.TCPConn))
		p.mu.Unlock()
		go func() { _, _ = io.Copy(client, back) }()
		_, _ = io.Copy(back, client)
	})
	return p
}

// halfClose ends what the clients read. What they write still reaches the server.
func (p *halfCloser) halfClose() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.clients {
		_ = c.CloseWrite()
	}
	p.clients = nil
}

// connected returns how many connections the server has, but for the one that asks.
func connected(t testing.TB, f *Factory) (n int64) {
	t.Helper()
	err := f.ask(t.Context(), func(client *redis.Client) error {
		list, err := client.ClientList(t.Context()).Result()
		for _, c := range list {
			if c == '\n' {
				n++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n - 1
}

// A proxy that half-closes keeps its connection to the server for as long as ours to
// it is open: ours ends with the outage, and with Teardown.
func TestAHalfCloseLeavesNoConnection(t *testing.T) {
	b := serve(t)
	direct := openURL(t, b.url("", ""))
	p := newHalfCloser(t, "127.0.0.1:"+b.port)
	f := openURL(t, "redis://"+p.addr)
	links := brokertest.ConnectionsDoNotCross(t, f, 2)
	brokertest.Until(t, "two sockets a connection", func() bool { return connected(t, direct) == 4 })
	p.halfClose()
	for _, l := range links {
		l.WantEvents(t, "publisher disconnected", "subscriber disconnected", "publisher reconnected", "subscriber reconnected")
		l.GoesOn(t)
	}
	brokertest.Until(t, "two sockets a connection again", func() bool { return connected(t, direct) == 4 })
	p.halfClose()
	for _, l := range links {
		l.End(t)
	}
	brokertest.Until(t, "no socket", func() bool { return connected(t, direct) == 0 })
}
