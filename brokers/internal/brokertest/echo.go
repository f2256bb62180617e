package brokertest

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/echo"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// A split keeps the halves of the way of each message.
type split struct{ ops chan load.Op }

// Record implements [load.Recorder].
func (s split) Record(op load.Op) { s.ops <- op }

// RecordAck implements [load.AckRecorder].
func (split) RecordAck(load.Ack) {}

// TwoHops sends over two connections to an echo, which has each message for delay, and wants
// each back, intact and once, with the delay in the second half of its way. The factories are
// for the same run.
func TwoHops(t *testing.T, callers, far requester.Factory, size int, acks bool) {
	t.Helper()
	for side, f := range map[requester.Side]requester.Factory{requester.Caller: callers, requester.Echo: far} {
		if err := f.(requester.Echoer).TakeSide(side); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	clock := func(at time.Time) int64 { return 1 + int64(at.Sub(began)) }
	const delay = 20 * time.Millisecond
	e, err := echo.Open(t.Context(), echo.Config{
		Factory: far, Connections: 2, Size: size, Delay: delay, Clock: func() int64 { return clock(time.Now()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil || len(e.Left()) > 0 {
			t.Errorf("closing the echo: %v, left %v", err, e.Left())
		}
	}()
	s := split{make(chan load.Op, 1000)}
	cfg := load.Config{Schedule: schedule.Spec{Rate: 20, Duration: 2 * time.Second}, Size: size, Connections: 2, Echo: &load.Echo{Clock: clock}}
	outcome, err := load.Run(t.Context(), callers, cfg, s, load.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	if want := (load.Ledger{Due: 40, Done: 40}); outcome.Window != want || outcome.Strays != (load.Strays{}) || outcome.Acks != acks || len(outcome.Left) > 0 {
		t.Errorf("ledger %+v, strays %+v, acks %v, left %v, failures %v, events %v", outcome.Window, outcome.Strays, outcome.Acks, outcome.Left, outcome.Failures, outcome.Events)
	}
	if acks && outcome.AckLedger.Delivered != 40 {
		t.Errorf("ledger %+v", outcome.AckLedger)
	}
	close(s.ops)
	for op := range s.ops {
		if op.Echoed < op.Sent || op.Done-op.Echoed < delay {
			t.Errorf("message %d of connection %d: sent %v, at the echo %v, done %v; the echo had it for %v", op.Seq, op.Conn, op.Sent, op.Echoed, op.Done, delay)
		}
	}
	if r := e.Report(); r.Received != 40 || r.Failed != 0 || r.Handling.Min() < delay {
		t.Errorf("the echo was given %d, failed %d (%s), and had each for %v at least", r.Received, r.Failed, r.Cause, r.Handling.Min())
	}
}
