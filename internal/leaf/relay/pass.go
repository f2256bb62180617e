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

// A piece is what was read at once, and when it is to be passed on. The last one says how it
// ended: in good order, io.EOF, or by a reset.
type piece struct {
	bytes []byte
	at    time.Time
	end   error
}

// pass passes on what one side of a connection says, until it says no more or the other does not
// listen. up is to the node.
func (r *Relay) pass(l *link, from, to *net.TCPConn, up bool) {
	q := newQueue()
	var writing sync.WaitGroup
	writing.Go(func() {
		if err := r.write(q, to, l, up); err != nil {
			l.close(true)
		}
		q.end()
	})
	r.read(q, from, l.number, up)
	q.end()
	writing.Wait()
}

// read puts what one side says into the queue, until it says no more.
func (r *Relay) read(q *queue, from *net.TCPConn, number int, up bool) {
	channel, fate := &r.down, fate{number: 2 * uint64(number)}
	if up {
		channel = &r.up
		fate.number++
	}
	for buf := make([]byte, chunk); r.passable(up); {
		n, err := from.Read(buf)
		p := piece{bytes: bytes.Clone(buf[:n]), end: err}
		p.at = r.release(&fate, channel, n)
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
func (r *Relay) write(q *queue, to *net.TCPConn, l *link, up bool) error {
	for before := int64(0); ; {
		p, more := q.take()
		if !more || !r.until(p.at) || !r.passable(up) {
			return net.ErrClosed
		}
		passed := r.replaced(l, Piece{Up: up, Connection: l.number, Before: before, Bytes: p.bytes})
		var err error
		if len(passed) > 0 {
			_, err = to.Write(passed)
		}
		before += int64(len(p.bytes))
		q.written(len(p.bytes))
		last := errors.Is(p.end, io.EOF)
		if err == nil && last {
			err = to.CloseWrite()
		}
		if err != nil {
			r.passable(!up) // the error is news from the other side
			return err
		}
		switch {
		case last:
			return nil
		case p.end != nil:
			return p.end
		}
	}
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
