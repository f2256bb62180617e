// Package requestertest checks that a requester keeps the contract of package
// requester. It is the one suite for all of them: the loopback, every broker, and
// a requester of your own.
package requestertest

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// patience is how long the suite waits for anything.
const patience = 30 * time.Second

// Run runs the suite against a system that is up and takes messages of 1 MiB. Each
// failure says which rule was broken, and where in package requester it stands. If
// connections acknowledge messages it checks that, too, and if the factory is a
// [requester.Auditor] it reads back what was acknowledged.
func Run(t *testing.T, f requester.Factory) {
	traits := newLink(t, f, 0, nil).Traits()
	for name, test := range map[string]func(*testing.T, requester.Factory){
		"RoundTrip": testRoundTrip, "PayloadIsNotKept": testPayloadIsNotKept, "RequestInsideReply": testRequestInsideReply,
		"ConnectionsDoNotCross": func(t *testing.T, f requester.Factory) { ConnectionsDoNotCross(t, f, 10) },
		"SetupHonoursContext":   testSetupHonoursContext, "QuietAfterTeardown": testQuietAfterTeardown, "TeardownLeavesNothing": testTeardownLeavesNothing,
	} {
		t.Run(name, func(t *testing.T) { test(t, f) })
	}
	t.Run("OpenLoop", func(t *testing.T) {
		wantAllDone(t, f, load.Config{Schedule: schedule.Spec{Rate: 500, Duration: 2 * time.Second}, Size: 1024, Connections: 2})
	})
	t.Run("LargeMessages", func(t *testing.T) {
		wantAllDone(t, f, load.Config{Schedule: schedule.Spec{Rate: 20, Duration: time.Second}, Size: 1 << 20})
	})
	if traits.Acknowledges {
		t.Run("EachIsAcknowledged", func(t *testing.T) { EachIsAcknowledged(t, f, false) })
	}
}

// wantAllDone runs the engine and wants every message back, exactly once, intact.
func wantAllDone(t *testing.T, f requester.Factory, cfg load.Config) {
	t.Helper()
	var outcome load.Outcome
	ended := make(chan error, 1)
	go func() {
		var err error
		outcome, err = load.Run(t.Context(), f, cfg, ignore{}, load.Hooks{})
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatalf("the engine could not run: %v", err)
		}
	case <-time.After(2 * patience): // longer than the engine waits for replies and for Teardown
		t.Fatal("Request or Teardown hangs: is a lock held during Reply, inside which Request is called? (see requester, Goroutines)")
	}
	due := int64(cfg.Schedule.Count(schedule.Part{}))
	if want := (load.Ledger{Due: due, Done: due}); outcome.Window != want {
		t.Errorf("of %d messages of %d B at %v some did not come back: ledger %+v, want %+v; failures %v; events %v (see requester, Errors)",
			due, cfg.Size, cfg.Schedule.Rate, outcome.Window, want, outcome.Failures, outcome.Events)
	}
	if outcome.Strays != (load.Strays{}) {
		t.Errorf("replies came twice, corrupt, or on the wrong connection: %+v, want none (see requester.Sink)", outcome.Strays)
	}
}

// ignore is a load.Recorder that records nothing: the suite judges no latency.
type ignore struct{}

// Record implements load.Recorder.
func (ignore) Record(load.Op) {}

// testRoundTrip sends messages of several sizes there and back.
func testRoundTrip(t *testing.T, f requester.Factory) {
	l := Connect(t, f, 0)
	l.RoundTrips(t, requester.StampSize, 17, 256, 1024, 5<<10, 100_000, 1<<20)
	l.End(t)
}

// testPayloadIsNotKept overwrites each payload as soon as Request has returned.
func testPayloadIsNotKept(t *testing.T, f requester.Factory) {
	l := Connect(t, f, 0)
	for seq := range uint64(100) {
		sent := Payload(0, seq, 512)
		scratch := bytes.Clone(sent)
		l.Send(t, scratch)
		clear(scratch)
		l.Want(t, sent)
	}
	l.End(t)
}

// testRequestInsideReply has the engine keep one message in flight while all are
// due: it sends each from inside the reply to the one before.
func testRequestInsideReply(t *testing.T, f requester.Factory) {
	wantAllDone(t, f, load.Config{
		Schedule: schedule.Spec{Rate: 1_000_000, Duration: 50 * time.Microsecond}, Size: 64, InFlight: 1,
	})
}

// ConnectionsDoNotCross sets all connections up at once, sends on each, and wants
// each to get its own messages in their order. It returns them set up.
func ConnectionsDoNotCross(t testing.TB, f requester.Factory, connections int) []*Link {
	links := make([]*Link, connections)
	var setups sync.WaitGroup
	for number := range links {
		links[number] = NewLink(t, f, number)
		setups.Go(func() {
			if err := links[number].Begin(); err != nil {
				t.Error(err)
			}
		})
	}
	setups.Wait()
	if t.Failed() {
		t.FailNow()
	}
	const messages = 10
	for seq := range uint64(messages) {
		for number, l := range links {
			l.Send(t, Payload(uint32(number), seq, 100))
		}
	}
	for number, l := range links {
		for seq := range uint64(messages) {
			l.Want(t, Payload(uint32(number), seq, 100))
		}
	}
	for number, l := range links {
		if len(l.Replies) > 0 {
			t.Errorf("connection %d has %d replies too many", number, len(l.Replies))
		}
	}
	return links
}

// testQuietAfterTeardown wants that after Teardown no reply is delivered, and that
// Request does not hang.
func testQuietAfterTeardown(t *testing.T, f requester.Factory) {
	l := Connect(t, f, 9) // another connection than the other tests': what is on its way then comes in none of them
	if limit := l.Traits().InFlight; limit == 0 || limit >= 20 {
		for seq := range uint64(20) {
			l.Send(t, Payload(9, seq, 1024))
		}
	}
	l.End(t)
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		_ = l.Request(t.Context(), Payload(9, 100, 64)) // an error, or nothing: the connection is gone
	}()
	select {
	case <-returned:
	case <-time.After(patience):
		t.Errorf("Request after Teardown has not returned within %v (see requester.Requester.Request)", patience)
	}
}

// testSetupHonoursContext wants Setup to return when its context is done, and
// Teardown to be safe after that.
func testSetupHonoursContext(t *testing.T, f requester.Factory) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := newLink(t, f, 0, nil)
	ended := make(chan error, 1)
	go func() { ended <- r.Setup(ctx) }()
	select {
	case err := <-ended:
		t.Logf("Setup with a context that is done: %v", err)
	case <-time.After(patience):
		t.Fatalf("Setup has not returned %v after its context was done (see requester.Requester.Setup)", patience)
	}
	if err := r.Teardown(t.Context()); err != nil {
		t.Errorf("Teardown after such a Setup returned an error, want nil: %v (see requester.Requester.Teardown)", err)
	}
}

// testTeardownLeavesNothing wants as many goroutines after Teardown as before Setup, no events, and
// nothing left in the system. One connection goes first: clients keep a few goroutines for the
// whole process.
func testTeardownLeavesNothing(t *testing.T, f requester.Factory) {
	before := 0
	for number := range 4 {
		l := Connect(t, f, number)
		l.RoundTrip(t, Payload(uint32(number), 0, 100))
		l.End(t)
		if l.Texts() != "" {
			t.Errorf("an orderly end makes events: %s (see requester.Sink)", l.Texts())
		}
		if number == 0 {
			before = runtime.NumGoroutine()
		}
	}
	NoGoroutines(t, before)
	if s, ok := requester.As[requester.Sweeper](f); ok && len(s.Left()) > 0 {
		t.Errorf("left after Teardown: %v (see requester.Sweeper)", s.Left())
	}
}

// NoGoroutines waits until there are as few goroutines as before.
func NoGoroutines(t testing.TB, before int) {
	t.Helper()
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before; <-time.After(time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines after the connections were torn down, %d before (see requester.Requester.Teardown):\n%s",
				runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
