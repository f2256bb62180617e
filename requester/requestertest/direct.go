package requestertest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// link is a connection that the suite uses without the engine.
type link struct {
	requester.Requester
	replies chan []byte // copies
	over    atomic.Bool // Teardown has returned
}

func newRequester(t *testing.T, f requester.Factory, conn int, reply requester.Reply) requester.Requester {
	t.Helper()
	r, err := f.New(conn, reply)
	if err != nil {
		t.Fatalf("New(%d): %v", conn, err)
	}
	return r
}

// open makes connection conn and sets it up.
func open(t *testing.T, f requester.Factory, conn int) *link {
	t.Helper()
	l := &link{replies: make(chan []byte, 1000)}
	l.Requester = newRequester(t, f, conn, func(p []byte) {
		if l.over.Load() {
			panic("Reply was called after Teardown had returned (see requester.Requester.Teardown)")
		}
		l.replies <- bytes.Clone(p)
	})
	if err := l.Setup(t.Context()); err != nil {
		_ = l.Teardown(t.Context())
		t.Fatalf("Setup: %v (is the system up?)", err)
	}
	return l
}

func (l *link) close(t *testing.T) {
	t.Helper()
	if err := l.Teardown(t.Context()); err != nil {
		t.Errorf("Teardown: %v (see requester.Requester.Teardown)", err)
	}
}

// request sends payload.
func (l *link) request(t *testing.T, payload []byte) {
	t.Helper()
	if err := l.Request(t.Context(), payload); err != nil {
		t.Fatalf("Request of %d B: %v", len(payload), err)
	}
}

// want waits for one reply. otherwise is what is wrong if it is another one.
func (l *link) want(t *testing.T, payload []byte, otherwise string) {
	t.Helper()
	select {
	case got := <-l.replies:
		if !bytes.Equal(got, payload) {
			t.Fatalf("%s: %d B were sent, a reply of %d B came, %s", otherwise, len(payload), len(got), difference(got, payload))
		}
	case <-time.After(patience):
		t.Fatalf("no reply to a message of %d B within %v: is Reply called, and was the subscription active when Setup returned? (see requester.Requester.Setup)", len(payload), patience)
	}
}

// difference says where two messages begin to differ.
func difference(got, want []byte) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("which differs from byte %d on", i)
		}
	}
	return "equal as far as both go"
}

func (l *link) roundTrip(t *testing.T, payload []byte) {
	t.Helper()
	l.request(t, payload)
	l.want(t, payload, "a message must come back byte for byte (see requester, Bytes)")
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
		l.want(t, sent, "the requester kept the payload after Request had returned, and the suite has overwritten it: copy it (see requester, Bytes)")
	}
}

// testRequestInsideReply has the engine keep one message in flight while all are
// due: it sends each from inside the reply to the one before.
func testRequestInsideReply(t *testing.T, f requester.Factory) {
	wantAllDone(t, f, load.Config{
		Schedule: schedule.Spec{Rate: 1_000_000, Duration: 50 * time.Microsecond}, Size: 64, InFlight: 1,
	})
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
			l.want(t, message(round*10+uint64(conn), 200), "this reply belongs to another connection or came twice: each connection needs a subject, queue or topic of its own")
		}
	}
	for conn, l := range links {
		if len(l.replies) > 0 {
			t.Errorf("connection %d got %d replies more than requests: a message comes back once, on its own connection", conn, len(l.replies))
		}
	}
}

// testQuietAfterTeardown wants that after Teardown no reply is delivered, and that
// Request does not hang.
func testQuietAfterTeardown(t *testing.T, f requester.Factory) {
	l := open(t, f, 9) // a connection of its own: what is on its way then comes in no later test
	if limiter, ok := l.Requester.(requester.InFlightLimiter); !ok || limiter.InFlightLimit() >= 20 {
		for i := range uint64(20) {
			l.request(t, message(i, 1024))
		}
	}
	l.close(t)
	l.over.Store(true)
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		_ = l.Request(t.Context(), message(100, 64)) // an error, or nothing: the connection is gone
	}()
	select {
	case <-returned:
	case <-time.After(patience):
		t.Errorf("Request after Teardown has not returned within %v (see requester.Requester.Request)", patience)
	}
}
