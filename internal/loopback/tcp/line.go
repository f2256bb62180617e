package tcp

import (
	"bufio"
	"cmp"
	"net"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// near is how long before a reply is due its line stops waiting for earlier ones
// and waits precisely. A Go timer is up to a millisecond late.
const near = 2 * time.Millisecond

// line is one connection of a server that delays replies.
type line struct {
	server *Server
	socket net.Conn
	writes sync.Mutex // of the socket

	mu    sync.Mutex
	queue []held // by at
	wake  chan struct{}
	over  bool
}

// held is a reply that is not due yet.
type held struct {
	at      time.Duration // from the first request
	payload []byte
}

// serve reads requests until the connection ends; another goroutine answers.
func (l *line) serve() {
	var answering sync.WaitGroup
	in := bufio.NewReaderSize(l.socket, 256<<10)
	var buf []byte
	for n := 0; ; {
		payload, err := readFrame(in, buf)
		if err != nil {
			break
		}
		buf = payload
		if stamp, _ := requester.ReadStamp(payload); stamp.Seq == requester.ProbeSeq {
			l.write(appendFrame(nil, payload))
			continue
		}
		if n == 0 {
			answering.Go(func() { l.answer(l.server.began()) })
		}
		l.take(n, payload)
		n++
	}
	l.end()
	answering.Wait()
}

// take queues the reply to request n of the connection, unless it is dropped.
func (l *line) take(n int, payload []byte) {
	began := l.server.began()
	now := time.Now()
	l.server.journal.Came(payload, now)
	at := now.Sub(began)
	if l.server.cfg.Drops(n) {
		return
	}
	h := held{l.server.cfg.ReplyAt(at), slices.Clone(payload)}
	l.mu.Lock()
	i, _ := slices.BinarySearchFunc(l.queue, h.at+1, func(h held, at time.Duration) int { return cmp.Compare(h.at, at) })
	l.queue = slices.Insert(l.queue, i, h)
	l.mu.Unlock()
	l.signal()
}

func (l *line) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *line) end() {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.signal()
}

// answer sends every reply when it is due. Replies that are due together go out in
// one write: otherwise a backlog would take extra time.
func (l *line) answer(start time.Time) {
	runtime.LockOSThread() // for good: the waiter changes the thread's timer slack
	waiter := load.KernelWaiter(50 * time.Microsecond)(start)
	var batch []byte
	for {
		at, some, over := l.next()
		switch {
		case over:
			return
		case !some:
			<-l.wake
			continue
		}
		if left := at - time.Since(start); left > near {
			select {
			case <-l.wake:
			case <-time.After(left - near):
			}
			continue
		}
		waiter.Until(at)
		now := time.Now()
		l.server.keepLate(now.Sub(start) - at)
		batch = l.due(start, now, batch[:0])
		l.write(batch)
	}
}

// next returns when the next reply is due.
func (l *line) next() (at time.Duration, some, over bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return 0, false, l.over
	}
	return l.queue[0].at, true, l.over
}

// due removes the replies that are due from the queue, notes that they leave, and
// appends them as frames.
func (l *line) due(start, now time.Time, batch []byte) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for n < len(l.queue) && l.queue[n].at <= now.Sub(start) {
		l.server.journal.Left(l.queue[n].payload, now)
		batch = appendFrame(batch, l.queue[n].payload)
		n++
	}
	l.queue = slices.Delete(l.queue, 0, n)
	return batch
}

func (l *line) write(frames []byte) {
	l.writes.Lock()
	defer l.writes.Unlock()
	_, _ = l.socket.Write(frames) // an error ends the connection, which its reader sees
}
