package redis

import (
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// Batches read what nobody waits for: the replies to PUBLISH. One by one, each would wake a
// thread of this process in the moment in which its message comes back, which would wait for
// that. While there are many, the kernel is asked to wake us when there are atOnce of them, or
// we look after a while. Where the kernel cannot do so, they are read as they come.
type batches struct {
	socket *net.TCPConn

	few   bool      // the kernel wakes us for each
	begun time.Time // of the spell in which bytes came
	bytes int
	quiet int // how many times in a row nothing, or not enough, had come in time
}

// Replies are ":1\r\n", as a rule.
const (
	aReply = 4

	atOnce = 64 * aReply
	late   = 20 * time.Millisecond // how long after it came a reply is read, at most

	spell = 100 * time.Millisecond
	many  = 25 * aReply // in a spell
	lull  = int(spell / late)
)

// inBatches returns a reader of a socket, of which it is the only one, and whose read deadline it
// sets.
func inBatches(socket net.Conn) io.Reader {
	if tcp, ok := socket.(*net.TCPConn); ok && wakeAt(tcp, 1) {
		return &batches{socket: tcp, few: true, begun: time.Now()}
	}
	return socket // TLS decrypts what comes, and another system may not know how to wait
}

// Read implements io.Reader.
func (r *batches) Read(b []byte) (n int, err error) {
	for {
		if !r.few {
			_ = r.socket.SetReadDeadline(time.Now().Add(late))
		}
		n, err = r.socket.Read(b)
		switch {
		case err == nil:
			r.came(n)
			return n, nil
		case r.few || !errors.Is(err, os.ErrDeadlineExceeded):
			return n, err
		}
		if r.quiet++; r.quiet > lull { // what is less than we wait for is read in the next round
			r.switchTo(true)
		}
	}
}

// came counts what came, and begins to wait for more at a time if there is much.
func (r *batches) came(n int) {
	r.quiet = 0
	if !r.few {
		return
	}
	r.bytes += n
	now := time.Now()
	if now.Sub(r.begun) < spell {
		return
	}
	if r.bytes >= many && now.Sub(r.begun) < 2*spell {
		r.switchTo(false)
	}
	r.begun, r.bytes = now, 0
}

// switchTo makes the kernel wake us for each reply, or for many at a time.
func (r *batches) switchTo(few bool) {
	at := atOnce
	if few {
		at = 1
		_ = r.socket.SetReadDeadline(time.Time{})
	}
	if wakeAt(r.socket, at) || few {
		r.few, r.quiet = few, 0
		r.begun, r.bytes = time.Now(), 0
	}
}
