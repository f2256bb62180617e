package relay

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// chunk is how many bytes are read at once, and window how many may be on their way in one
// direction of a connection: as much as a socket usually holds.
const (
	chunk  = 64 << 10
	window = 4 << 20
)

// A flow is one direction of a connection.
type flow struct {
	channel *channel
	open    func(State) bool // whether the network lets it through
	back    func(State) bool // whether it lets through what comes the other way
	number  int              // of the connection
	up      bool             // to the node
}

// A Piece is a part of what one side of a connection says.
type Piece struct {
	Up         bool  // it is on its way to the node
	Connection int   // from 1, in the order of accepting
	Before     int64 // bytes of this connection that went the same way before it
	Bytes      []byte
}

// A piece is what was read at once, and when it is to be passed on. The last one says how it
// ended: in good order, io.EOF, or by a reset.
type piece struct {
	bytes []byte
	at    time.Time
	end   error
}

// pass passes on what one side says, until it says no more or the other does not listen.
func (r *Relay) pass(l *link, from, to *net.TCPConn, f flow) {
	q := newQueue()
	var writing sync.WaitGroup
	writing.Go(func() {
		if err := r.write(q, to, f); err != nil {
			l.drop()
		}
		q.end()
	})
	r.read(q, from, f)
	q.end()
	writing.Wait()
}

// read puts what one side says into the queue, until it says no more.
func (r *Relay) read(q *queue, from *net.TCPConn, f flow) {
	fate := fate{number: 2 * uint64(f.number)}
	if f.up {
		fate.number++
	}
	for buf := make([]byte, chunk); r.passable(f.open); {
		n, err := from.Read(buf)
		p := piece{bytes: bytes.Clone(buf[:n]), end: err}
		p.at = r.release(&fate, f.channel, n)
		if !q.put(p) || err != nil {
			return
		}
	}
}

// release returns when n bytes that come now are to be passed on.
func (r *Relay) release(f *fate, c *channel, n int) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	return f.release(r.state, r.version, c.occupy(now, n, r.state.Throttle), n)
}

// write passes on what is in the queue, and how it ended: also the end of a connection takes
// its time, and waits for a network that lets it through.
func (r *Relay) write(q *queue, to *net.TCPConn, f flow) error {
	for before := int64(0); ; {
		p, more := q.take()
		if !more || !r.until(p.at) || !r.passable(f.open) {
			return net.ErrClosed
		}
		n := len(p.bytes)
		if r.hooks.Through != nil && n > 0 {
			p.bytes = r.hooks.Through(Piece{Up: f.up, Connection: f.number, Before: before, Bytes: p.bytes})
		}
		before += int64(n)
		if len(p.bytes) > 0 {
			if _, err := to.Write(p.bytes); err != nil {
				return r.refused(f, err)
			}
		}
		q.written(n)
		switch {
		case errors.Is(p.end, io.EOF):
			return r.refused(f, to.CloseWrite())
		case p.end != nil:
			return p.end
		}
	}
}

// refused returns the error of dialling a node that no longer listens, once the network lets the
// refusal through.
func (r *Relay) refused(f flow, err error) error {
	if err != nil {
		r.passable(f.back)
	}
	return err
}

// until waits for a moment, and fails if the relay is closed before.
func (r *Relay) until(at time.Time) bool {
	wait := time.Until(at)
	if wait <= 0 {
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.ended:
		return false
	}
}
