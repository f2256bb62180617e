// Package requestertest checks that a requester keeps the contract of package
// requester. It is the one suite for all of them: the loopback, every broker, and
// a requester of your own.
package requestertest

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// patience is how long the suite waits for anything.
const patience = 30 * time.Second

// Run runs the suite against a system that is up and takes messages of 1 MiB. Each
// failure says which rule was broken, and where in package requester it stands.
func Run(t *testing.T, f requester.Factory) {
	t.Run("RoundTrip", func(t *testing.T) { testRoundTrip(t, f) })
	t.Run("PayloadIsNotKept", func(t *testing.T) { testPayloadIsNotKept(t, f) })
	t.Run("RequestInsideReply", func(t *testing.T) { testRequestInsideReply(t, f) })
	t.Run("ConnectionsDoNotCross", func(t *testing.T) { testConnectionsDoNotCross(t, f) })
	t.Run("OpenLoop", func(t *testing.T) {
		wantAllDone(t, f, load.Config{Schedule: schedule.Spec{Rate: 500, Duration: 2 * time.Second}, Size: 1024, Connections: 2})
	})
	t.Run("LargeMessages", func(t *testing.T) {
		wantAllDone(t, f, load.Config{Schedule: schedule.Spec{Rate: 20, Duration: time.Second}, Size: 1 << 20})
	})
	t.Run("SetupHonoursContext", func(t *testing.T) { testSetupHonoursContext(t, f) })
	t.Run("QuietAfterTeardown", func(t *testing.T) { testQuietAfterTeardown(t, f) })
	t.Run("LeavesNoGoroutines", func(t *testing.T) { testLeavesNoGoroutines(t, f) })
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
	due := int64(cfg.Schedule.Count(schedule.Share{}))
	if want := (load.Ledger{Due: due, Done: due}); outcome.Window != want {
		t.Errorf("of %d messages of %d B at %v some did not come back: ledger %+v, want %+v; failures %v; events %v (see requester, Errors)",
			due, cfg.Size, cfg.Schedule.Rate, outcome.Window, want, outcome.Failures, outcome.Events)
	}
	if outcome.Strays != (load.Strays{}) {
		t.Errorf("replies came twice, corrupt, or on the wrong connection: %+v, want none (see requester.Reply)", outcome.Strays)
	}
}

// ignore is a load.Recorder that records nothing: the suite judges no latency.
type ignore struct{}

// Record implements load.Recorder.
func (ignore) Record(load.Op) {}

// testSetupHonoursContext wants Setup to return when its context is done, and
// Teardown to be safe after that.
func testSetupHonoursContext(t *testing.T, f requester.Factory) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := newRequester(t, f, 0, func([]byte) {})
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

// testLeavesNoGoroutines wants as many goroutines after Teardown as before Setup.
// One connection goes first: clients keep a few for the whole process.
func testLeavesNoGoroutines(t *testing.T, f requester.Factory) {
	warm := open(t, f, 0)
	warm.roundTrip(t, message(0, 100))
	warm.close(t)
	before := runtime.NumGoroutine()
	for i := range 3 {
		c := open(t, f, i)
		c.roundTrip(t, message(0, 100))
		c.close(t)
	}
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines after three connections were torn down, %d before (see requester.Requester.Teardown):\n%s",
				runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
