//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
)

// A meter passes connections on to a server, and counts the bytes in both directions.
type meter struct {
	addr     string // where it listens
	backend  string
	listener net.Listener
	read     atomic.Int64 // for the server
	written  atomic.Int64 // from the server
	running  sync.WaitGroup

	mu     sync.Mutex
	closed bool
	open   map[net.Conn]bool
}

// newMeter begins to pass on. The caller calls close.
func newMeter(ctx context.Context, backend string) (*meter, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for agents: %w", err)
	}
	m := &meter{addr: l.Addr().String(), backend: backend, listener: l, open: make(map[net.Conn]bool)}
	m.running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			m.running.Go(func() { m.serve(ctx, c) })
		}
	})
	return m, nil
}

// close ends all connections, and returns when they have ended.
func (m *meter) close() {
	_ = m.listener.Close()
	m.mu.Lock()
	m.closed = true
	for c := range m.open {
		_ = c.Close()
	}
	m.mu.Unlock()
	m.running.Wait()
}

// serve passes one connection on until either side ends.
func (m *meter) serve(ctx context.Context, agent net.Conn) {
	defer m.drop(agent)
	server, err := new(net.Dialer).DialContext(ctx, "tcp", m.backend)
	if err != nil || !m.keep(agent, server) {
		return
	}
	defer m.drop(server)
	var answers sync.WaitGroup
	answers.Go(func() { m.pass(server, agent, &m.written) })
	m.pass(agent, server, &m.read)
	answers.Wait()
}

// keep fails if the meter was closed meanwhile.
func (m *meter) keep(both ...net.Conn) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range both {
		if m.closed {
			_ = c.Close()
		} else {
			m.open[c] = true
		}
	}
	return !m.closed
}

func (m *meter) drop(c net.Conn) {
	_ = c.Close()
	m.mu.Lock()
	delete(m.open, c)
	m.mu.Unlock()
}

func (m *meter) pass(from, to net.Conn, count *atomic.Int64) {
	defer func() { _, _ = from.Close(), to.Close() }()
	for buffer := make([]byte, 16<<10); ; {
		n, err := from.Read(buffer)
		count.Add(int64(n))
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}
