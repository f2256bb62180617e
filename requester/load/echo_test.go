package load_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// farther answers inside Request as an echo would have, at a fixed moment of its clock.
type farther struct {
	reply func([]byte)
	at    int64
}

type farthers struct{ at int64 }

func (f farthers) New(_ int, sink requester.Sink) (requester.Requester, error) {
	return &farther{sink.Reply, f.at}, nil
}

func (*farther) Traits() requester.Traits       { return requester.Traits{} }
func (*farther) Setup(context.Context) error    { return nil }
func (*farther) Teardown(context.Context) error { return nil }
func (f *farther) Request(_ context.Context, p []byte) error {
	requester.PutEcho(p, f.at)
	f.reply(p)
	return nil
}

// The moment at which the echo had a message counts from the start of the schedule, by what
// its clock showed then.
func TestWhenTheEchoHadIt(t *testing.T) {
	cfg := load.Config{
		Schedule: constant(10, time.Second), Size: 40,
		Echo: &load.Echo{Clock: func(time.Time) int64 { return 1000 }},
	}
	outcome, k := virtual(t, farthers{1000 + int64(5*time.Millisecond)}, cfg)
	wantLedger(t, outcome.Window, load.Ledger{Due: 10, Done: 10})
	for _, op := range k.ops.all {
		wantTime(t, "echoed", op.Echoed, 5*time.Millisecond)
	}
	cfg.Echo = &load.Echo{} // whose clock is not known
	_, k = virtual(t, farthers{7}, cfg)
	for _, op := range k.ops.all {
		wantTime(t, "echoed", op.Echoed, 0)
	}
}

// The content is checked up to the echo's bytes, whatever the size.
func TestEchoedContentIsChecked(t *testing.T) {
	for _, size := range []int{24, 25, 31, 32, 33, 63, 64, 100, 1024} {
		outcome, _ := virtual(t, farthers{1}, load.Config{Schedule: constant(10, time.Second), Size: size, Echo: &load.Echo{}})
		wantLedger(t, outcome.Window, load.Ledger{Due: 10, Done: 10})
	}
}

func TestAnEchoNeedsRoom(t *testing.T) {
	cfg := load.Config{Schedule: schedule.Spec{Rate: 1, Duration: time.Second}, Size: 23, Echo: &load.Echo{}}
	if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "24 B") {
		t.Error(err)
	}
}
