// Package relay stands between clients and one node of a broker: it passes TCP connections
// on, and can cut, slow or thin out the network between them. It needs no permission, because
// clients dial it in place of the node. The network among nodes it does not touch. For tests it
// also misbehaves in ways that a network seldom does.
package relay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// dialTimeout is how long the node may take to accept a connection.
const dialTimeout = 10 * time.Second

// Options say where a relay stands.
type Options struct {
	Listen  string // host and port; "": a free port of 127.0.0.1
	Backend string // host and port of the node
}

// A Relay passes connections on to a node. Its methods may be called concurrently.
type Relay struct {
	o        Options
	listener net.Listener
	running  sync.WaitGroup
	ended    chan struct{}

	mu       sync.Mutex
	changed  *sync.Cond
	state    State
	version  int // of the state
	closed   bool
	links    map[*link]bool
	number   int // of connections so far
	up, down channel

	faults
}

// Listen makes a relay that listens. The caller calls Serve, and Close.
func Listen(o Options) (*Relay, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", cmp.Or(o.Listen, "127.0.0.1:0"))
	if err != nil {
		return nil, fmt.Errorf("relay: %w", err)
	}
	r := &Relay{o: o, listener: l, ended: make(chan struct{}), links: make(map[*link]bool)}
	r.changed = sync.NewCond(&r.mu)
	return r, nil
}

// Addr returns the host and port at which clients reach the relay.
func (r *Relay) Addr() string { return r.listener.Addr().String() }

// Set puts the network into a state from now on. Bytes on their way keep their delay.
func (r *Relay) Set(s State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = s
	r.version++
	r.changed.Broadcast()
}

// Connections returns how many connections there are.
func (r *Relay) Connections() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.links)
}

// Serve passes connections on until Close is called. It returns when all have ended.
func (r *Relay) Serve() error {
	defer r.running.Wait()
	for {
		c, err := r.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case err != nil:
			return fmt.Errorf("relay: %w", err)
		}
		r.running.Go(func() { r.serve(c.(*net.TCPConn)) })
	}
}

// Close ends the relay and all its connections.
func (r *Relay) Close() error {
	err := r.listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		close(r.ended)
	}
	r.closed = true
	for l := range r.links {
		l.close(true)
	}
	r.changed.Broadcast()
	return err
}

// A link is a connection of a client, with the one to the node that belongs to it.
type link struct {
	number       int          // from 1, in the order of accepting
	client, node *net.TCPConn // node is nil until it is dialed
	halved       bool         // the client was told that nothing more comes
}

// close closes both connections: with a reset, or so that the bytes written to them still arrive.
func (l *link) close(reset bool) {
	for _, c := range []*net.TCPConn{l.client, l.node} {
		if c == nil {
			continue
		}
		if reset {
			_ = c.SetLinger(0)
		}
		_ = c.Close()
	}
}

// serve passes one connection on until both sides have ended. While the network is cut, a
// connection is accepted and nothing more: a process cannot leave the question unanswered.
func (r *Relay) serve(client *net.TCPConn) {
	l := &link{client: client}
	if !r.add(l) {
		l.close(true)
		return
	}
	defer r.remove(l)
	if !r.admits(l.number) {
		l.close(false)
		return
	}
	if !r.passable(true, false) {
		l.close(true)
		return
	}
	node, err := (&net.Dialer{Timeout: dialTimeout}).Dial("tcp", r.o.Backend)
	if err != nil || !r.join(l, node.(*net.TCPConn)) {
		l.close(true) // a reset, as if nothing listened here either
		return
	}
	defer l.close(false)
	var passing sync.WaitGroup
	passing.Go(func() { r.pass(l, l.node, l.client, false) })
	r.pass(l, l.client, l.node, true)
	passing.Wait()
}

// add numbers a connection, and fails once the relay is closed.
func (r *Relay) add(l *link) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.number++
		l.number, r.links[l] = r.number, true
	}
	return !r.closed
}

// join adds the connection to the node to a link, and fails once the relay is closed.
func (r *Relay) join(l *link, node *net.TCPConn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.node = node
	return !r.closed
}

func (r *Relay) remove(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.links, l)
}

// passable waits until the network lets everything through in these directions; true is the one to
// the node. It fails once the relay is closed.
func (r *Relay) passable(directions ...bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	blocked := func(up bool) bool { return up && r.state.Deaf || !up && r.state.Mute }
	for !r.closed && slices.ContainsFunc(directions, blocked) {
		r.changed.Wait()
	}
	return !r.closed
}
