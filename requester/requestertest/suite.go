// Package requestertest checks that a requester keeps the contract of package
// requester. It is the one suite for all of them: the loopback, every broker, and
// a requester of your own. [Run] is all of it; a [Link] is for tests of what only your
// system does, such as its outages.
package requestertest

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
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
	for _, c := range checks(f) {
		t.Run(c.name, func(t *testing.T) { c.do(t, f) })
	}
}

// A check is a part of the suite.
type check struct {
	name string
	do   func(t testing.TB, f requester.Factory)
}

// checks returns the suite for a factory.
func checks(f requester.Factory) []check {
	engine := func(cfg load.Config) func(testing.TB, requester.Factory) {
		return func(t testing.TB, f requester.Factory) { wantAllDone(t, f, cfg) }
	}
	list := []check{
		{"RoundTrip", testRoundTrip},
		{"PayloadIsNotKept", testPayloadIsNotKept},
		{"ConnectionsDoNotCross", func(t testing.TB, f requester.Factory) { ConnectionsDoNotCross(t, f, 30) }},
		{"SetupHonoursContext", testSetupHonoursContext},
		{"QuietAfterTeardown", testQuietAfterTeardown},
		{"TeardownLeavesNothing", func(t testing.TB, f requester.Factory) { TeardownLeavesNothing(t, f, nil) }},
		{"OpenLoop", engine(load.Config{Schedule: schedule.Spec{Rate: 1000, Duration: time.Second}, Size: 1024, Connections: 3})},
		{"LargeMessages", engine(load.Config{Schedule: schedule.Spec{Rate: 20, Duration: time.Second}, Size: 1 << 20})},
		// All are due at once, and the engine sends each from inside the reply to the one before.
		{"RequestInsideReply", engine(load.Config{Schedule: schedule.Spec{Rate: 1_000_000, Duration: 50 * time.Microsecond}, Size: 64, InFlight: 1})},
	}
	if _, ok := requester.As[requester.Auditor](f); ok {
		list = append(list, check{"Audit", testAudit})
	}
	return list
}

// A counter counts what the engine records: the suite judges no latency.
type counter struct{ ops, acks atomic.Int64 }

// Record implements [load.Recorder].
func (c *counter) Record(load.Op) { c.ops.Add(1) }

// RecordAck implements [load.AckRecorder].
func (c *counter) RecordAck(load.Ack) { c.acks.Add(1) }

// wantAllDone runs the engine and wants every message back, exactly once, intact, and as often
// acknowledged, or never if the connections acknowledge nothing.
func wantAllDone(t testing.TB, f requester.Factory, cfg load.Config) {
	t.Helper()
	var outcome load.Outcome
	var recorded counter
	ended := make(chan error, 1)
	go func() {
		var err error
		outcome, err = load.Run(t.Context(), f, cfg, &recorded, load.Hooks{})
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
	if want := (load.Ledger{Due: due, Done: due}); outcome.Window != want || recorded.ops.Load() != due {
		t.Errorf("of %d messages of %d B at %v some did not come back: ledger %+v, want %+v; failures %v; events %v (see requester, Errors)",
			due, cfg.Size, cfg.Schedule.Rate, outcome.Window, want, outcome.Failures, outcome.Events)
	}
	if outcome.Strays != (load.Strays{}) {
		t.Errorf("replies came twice, corrupt, or on the wrong connection: %+v, want none (see requester.Sink)", outcome.Strays)
	}
	if !outcome.Acks {
		due = 0
	}
	if l := outcome.AckLedger; l.Acked != due || l.Delivered != due || recorded.acks.Load() != due {
		t.Errorf("acknowledgements %+v, and %d were recorded, want %d (see requester.Sink.Acked)", l, recorded.acks.Load(), due)
	}
}

// testRoundTrip sends messages of several sizes there and back.
func testRoundTrip(t testing.TB, f requester.Factory) {
	l := Connect(t, f, 0)
	l.RoundTrips(t, requester.StampSize, 17, 255, 256, 1024, 5<<10, 100_000, 200_000, 1<<20)
	l.End(t)
}

// testPayloadIsNotKept overwrites each payload as soon as Request has returned.
func testPayloadIsNotKept(t testing.TB, f requester.Factory) {
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

// ConnectionsDoNotCross sets all connections up at once, sends on each, and wants
// each to get its own messages, in any order. It returns them set up.
func ConnectionsDoNotCross(t testing.TB, f requester.Factory, connections int) []*Link {
	t.Helper()
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
		got := make(map[string]bool)
		for range messages {
			got[string(l.Next(t))] = true
		}
		for seq := range uint64(messages) {
			if !got[string(Payload(uint32(number), seq, 100))] {
				t.Errorf("message %d of connection %d has not come back there intact (see requester, Bytes)", seq, number)
			}
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
// Request does not hang. A Teardown without a Setup is safe.
func testQuietAfterTeardown(t testing.TB, f requester.Factory) {
	NewLink(t, f, 9).End(t)
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
func testSetupHonoursContext(t testing.TB, f requester.Factory) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := NewLink(t, f, 0)
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

// TeardownLeavesNothing wants as many goroutines after Teardown as before Setup, no events, and
// nothing left in the system: gone, unless it is nil, tells whether that is so. One connection goes
// first: clients keep a few goroutines for the whole process.
func TeardownLeavesNothing(t testing.TB, f requester.Factory, gone func(*Link) bool) {
	t.Helper()
	before := 0
	for number := range 4 {
		l := Connect(t, f, number)
		l.RoundTrip(t, Payload(uint32(number), 0, 100))
		if gone != nil && gone(l) {
			t.Error("gone before Teardown")
		}
		l.End(t)
		if l.Texts() != "" {
			t.Errorf("an orderly end makes events: %s (see requester.Sink)", l.Texts())
		}
		Until(t, "nothing is left in the system", func() bool { return gone == nil || gone(l) })
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
