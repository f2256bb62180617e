package echo_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/echo"
	"github.com/brokerbench/brokerbench/requester"
)

// A far is a system of which the test is the caller: what it delivers, the echo receives.
type far struct {
	mu     sync.Mutex
	replys []func([]byte)
	sent   [][]byte
	torn   int
	fails  error         // of Request
	setup  error         // of Setup
	slow   time.Duration // Request takes so long
	stuck  chan struct{} // Setup returns once it is closed, whatever its ctx says; nil: at once
}

func (f *far) New(_ int, sink requester.Sink) (requester.Requester, error) {
	f.replys = append(f.replys, sink.Reply)
	return farConn{f}, nil
}

type farConn struct{ *far }

func (farConn) Traits() requester.Traits { return requester.Traits{} }
func (c farConn) Setup(context.Context) error {
	if c.stuck != nil {
		<-c.stuck
	}
	return c.setup
}

func (c farConn) Request(ctx context.Context, p []byte) error {
	time.Sleep(c.slow)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	c.sent = append(c.sent, slices.Clone(p))
	return c.fails
}

func (c farConn) Teardown(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.torn++
	return nil
}

func message(seq uint64, size int) []byte {
	p := make([]byte, size)
	requester.Stamp{Run: 1, Seq: seq}.Put(p)
	return p
}

// What is received is sent back as it is, but for when it was here; the client's bytes are not
// touched.
func TestItSendsBackWithItsTime(t *testing.T) {
	f := new(far)
	e, err := echo.Open(t.Context(), echo.Config{Factory: f, Connections: 2, Size: 40, Clock: func() int64 { return 42 }})
	if err != nil {
		t.Fatal(err)
	}
	in := message(7, 40)
	f.replys[1](in)
	f.replys[0](message(8, 100)) // larger than was said
	f.replys[0](message(9, 20))  // no room for the time
	f.replys[0](message(requester.ProbeSeq, 40))
	if len(f.sent) != 3 || len(f.sent[1]) != 100 || requester.ReadEcho(f.sent[0]) != 42 {
		t.Fatalf("sent %v", f.sent)
	}
	if stamp, _ := requester.ReadStamp(f.sent[0]); stamp.Seq != 7 || requester.ReadEcho(in) != 0 {
		t.Errorf("stamp %+v, and what was received is %v", stamp, in)
	}
	if r := e.Report(); r.Received != 2 || r.Failed != 0 || r.Handling.Count() != 2 {
		t.Errorf("report %+v: a probe counts, or a message does not", r)
	}
	if err := e.Close(); err != nil || f.torn != 2 {
		t.Errorf("closed: %v, %d torn down", err, f.torn)
	}
}

func TestNoClockLeavesAMark(t *testing.T) {
	f := new(far)
	e, err := echo.Open(t.Context(), echo.Config{Factory: f, Connections: 1, Size: 24})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	f.replys[0](message(1, 24))
	if got := requester.ReadEcho(f.sent[0]); got == 0 {
		t.Error("nobody can tell that it was at the echo")
	}
}

// What the echo itself takes is measured; one that takes as long as messages are apart is busy.
func TestHandlingAndBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &far{slow: 9 * time.Millisecond}
		e, err := echo.Open(t.Context(), echo.Config{Factory: f, Connections: 1, Size: 24, Clock: func() int64 { return 1 }})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		for seq := range uint64(200) {
			f.replys[0](message(seq, 24))
			time.Sleep(time.Millisecond)
		}
		r := e.Report()
		if r.Handling.Max() != 9*time.Millisecond || r.Busy < 0.89 || r.Busy > 0.91 {
			t.Errorf("handling at most %v, busy %v; want 9 ms and 0.9", r.Handling.Max(), r.Busy)
		}
	})
}

func TestFailuresAreCounted(t *testing.T) {
	f := &far{fails: errors.New("no room")}
	e, err := echo.Open(t.Context(), echo.Config{Factory: f, Connections: 1, Size: 24})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for seq := range uint64(3) {
		f.replys[0](message(seq, 24))
	}
	if r := e.Report(); r.Received != 3 || r.Failed != 3 || r.Cause != "no room" {
		t.Errorf("report %+v", r)
	}
}

func TestASetupThatFailsLeavesNothing(t *testing.T) {
	f := &far{setup: errors.New("refused")}
	_, err := echo.Open(t.Context(), echo.Config{Factory: f, Connections: 3, Size: 24})
	if err == nil || !strings.Contains(err.Error(), "refused") || f.torn != 3 {
		t.Errorf("%v, %d torn down", err, f.torn)
	}
}

func TestASetupThatDoesNotReturnEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &far{stuck: make(chan struct{})}
		defer close(f.stuck)
		start := time.Now()
		_, err := echo.Open(t.Context(), echo.Config{Factory: f, Connections: 3, Size: 24})
		if took := time.Since(start); err == nil || !strings.Contains(err.Error(), "Setup does not return") || took > 36*time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}

func TestAnEchoDoesNotAllocate(t *testing.T) {
	f := &discards{}
	e, err := echo.Open(t.Context(), echo.Config{Factory: f, Connections: 1, Size: 1024, Clock: func() int64 { return 5 }})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	p := message(1, 1024)
	if got := testing.AllocsPerRun(1000, func() { f.reply(p) }); got != 0 {
		t.Errorf("%v allocations a message", got)
	}
}

func BenchmarkEcho(b *testing.B) {
	f := &discards{}
	e, err := echo.Open(b.Context(), echo.Config{Factory: f, Connections: 1, Size: 1024, Clock: func() int64 { return 5 }})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	p := message(1, 1024)
	b.ReportAllocs()
	for b.Loop() {
		f.reply(p)
	}
}

// discards takes messages and forgets them.
type discards struct{ reply func([]byte) }

func (d *discards) New(_ int, sink requester.Sink) (requester.Requester, error) {
	d.reply = sink.Reply
	return d, nil
}
func (*discards) Traits() requester.Traits              { return requester.Traits{} }
func (*discards) Setup(context.Context) error           { return nil }
func (*discards) Request(context.Context, []byte) error { return nil }
func (*discards) Teardown(context.Context) error        { return nil }
