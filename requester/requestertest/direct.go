package requestertest

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// link is a connection that the suite drives by itself.
type link struct {
	requester.Requester
	replies chan []byte // copies
}

// open makes connection conn and sets it up.
func open(t *testing.T, f requester.Factory, conn int) *link {
	t.Helper()
	l := &link{replies: make(chan []byte, 1000)}
	r, err := f.New(conn, func(p []byte) { l.replies <- bytes.Clone(p) })
	if err != nil {
		t.Fatal(err)
	}
	l.Requester = r
	if err := r.Setup(t.Context()); err != nil {
		_ = r.Teardown(t.Context())
		t.Fatalf("setting up connection %d: %v", conn, err)
	}
	return l
}

func (l *link) close(t *testing.T) {
	t.Helper()
	if err := l.Teardown(t.Context()); err != nil {
		t.Errorf("Teardown: %v", err)
	}
}

// request sends payload.
func (l *link) request(t *testing.T, payload []byte) {
	t.Helper()
	if err := l.Request(t.Context(), payload); err != nil {
		t.Fatalf("Request of %d B: %v", len(payload), err)
	}
}

// want waits for one reply.
func (l *link) want(t *testing.T, payload []byte) {
	t.Helper()
	select {
	case got := <-l.replies:
		if !bytes.Equal(got, payload) {
			t.Fatalf("reply of %d B is not what was sent (%d B)", len(got), len(payload))
		}
	case <-time.After(patience):
		t.Fatalf("no reply to %d B within %v", len(payload), patience)
	}
}

func (l *link) roundTrip(t *testing.T, payload []byte) {
	t.Helper()
	l.request(t, payload)
	l.want(t, payload)
}

// message returns a message of size bytes with a stamp and random content.
func message(seq uint64, size int) []byte {
	p := make([]byte, size)
	draw := rand.New(rand.NewPCG(seq, uint64(size))) //nolint:gosec // test data
	for i := range p {
		p[i] = byte(draw.Uint32())
	}
	requester.Stamp{Run: 1, Seq: seq}.Put(p)
	return p
}

func testRoundTrip(t *testing.T, f requester.Factory) {
	l := open(t, f, 0)
	defer l.close(t)
	for i, size := range []int{requester.StampSize, 17, 256, 1024, 5 << 10, 100_000, 1 << 20} {
		l.roundTrip(t, message(uint64(i), size))
	}
}

// testPayloadIsNotKept overwrites each payload as soon as Request has returned.
func testPayloadIsNotKept(t *testing.T, f requester.Factory) {
	l := open(t, f, 0)
	defer l.close(t)
	for i := range uint64(100) {
		sent := message(i, 512)
		scratch := bytes.Clone(sent)
		l.request(t, scratch)
		clear(scratch)
		l.want(t, sent)
	}
}

// testRequestInsideReply issues each request from inside the reply to the one
// before, as the engine does with a limit on what is in flight.
func testRequestInsideReply(t *testing.T, f requester.Factory) {
	c := &chain{rounds: 50, done: make(chan error, 1)}
	r, err := f.New(0, func([]byte) { c.next(t) })
	if err != nil {
		t.Fatal(err)
	}
	c.requester = r
	if err := r.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := &link{Requester: r}
	defer l.close(t)
	c.next(t)
	select {
	case err := <-c.done:
		if err != nil {
			t.Errorf("Request inside Reply: %v", err)
		}
	case <-time.After(patience):
		t.Fatal("a Request inside Reply never came back")
	}
}

// A chain is requests of which each is issued by the reply to the one before. A
// reply may come while its own Request has not returned: as in the engine, the one
// who is in Request then issues the next, for Request is never called
// concurrently with itself.
type chain struct {
	requester requester.Requester
	rounds    uint64
	done      chan error

	mu      sync.Mutex
	sending bool
	due     uint64 // requests that may be issued
	issued  uint64
}

// next lets one more request be issued, and issues it if nobody else is.
func (c *chain) next(t *testing.T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.due == c.rounds {
		c.end(nil)
		return
	}
	c.due++
	if c.sending {
		return
	}
	c.sending = true
	for ; c.issued < c.due; c.issued++ {
		c.mu.Unlock()
		err := c.requester.Request(t.Context(), message(c.issued, 64))
		c.mu.Lock()
		if err != nil {
			c.end(err)
			break
		}
	}
	c.sending = false
}

func (c *chain) end(err error) {
	select {
	case c.done <- err:
	default: // it has ended before
	}
}

// testConnectionsDoNotCross wants each reply on the connection of its request.
func testConnectionsDoNotCross(t *testing.T, f requester.Factory) {
	var links []*link
	for conn := range 3 {
		l := open(t, f, conn)
		defer l.close(t)
		links = append(links, l)
	}
	for round := range uint64(10) {
		for conn, l := range links {
			l.request(t, message(round*10+uint64(conn), 200))
		}
		for conn, l := range links {
			l.want(t, message(round*10+uint64(conn), 200))
		}
	}
	for conn, l := range links {
		if len(l.replies) > 0 {
			t.Errorf("connection %d has %d replies too many", conn, len(l.replies))
		}
	}
}

// testQuietAfterTeardown wants no reply to be delivered once Teardown has
// returned, and a Request not to hang.
func testQuietAfterTeardown(t *testing.T, f requester.Factory) {
	l := open(t, f, 0)
	if limiter, ok := l.Requester.(requester.InFlightLimiter); !ok || limiter.InFlightLimit() >= 20 {
		for i := range uint64(20) {
			l.request(t, message(i, 1024))
		}
	}
	l.close(t)
	close(l.replies) // a reply now panics
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		_ = l.Request(t.Context(), message(100, 64)) // an error, or nothing: the connection is gone
	}()
	select {
	case <-returned:
	case <-time.After(patience):
		t.Error("Request after Teardown hangs")
	}
}
