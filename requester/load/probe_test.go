package load_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// lingering answers at once, and returns from Request much later.
type lingering struct {
	t     *testing.T
	reply func([]byte)
	busy  bool // written by Request alone, which is never called concurrently
}

func (l *lingering) New(_ int, sink requester.Sink) (requester.Requester, error) {
	l.reply = sink.Reply
	return l, nil
}
func (*lingering) Traits() requester.Traits         { return requester.Traits{} }
func (l *lingering) Setup(context.Context) error    { return nil }
func (l *lingering) Teardown(context.Context) error { return nil }

func (l *lingering) Request(_ context.Context, p []byte) error {
	if l.busy {
		l.t.Error("Request is called before the one before has returned")
	}
	l.busy = true
	l.reply(p)
	time.Sleep(200 * ms)
	l.busy = false
	return nil
}

func TestTheFirstRequestWaitsForTheProbeToReturn(t *testing.T) {
	outcome, _ := virtual(t, &lingering{t: t}, load.Config{Schedule: constant(4, time.Second)})
	wantLedger(t, outcome.Window, load.Ledger{Due: 4, Done: 4})
}

// refusing is disconnected by a request, and refuses it.
type refusing struct{ sink requester.Sink }

var errTooBig = errors.New("too big")

func (r *refusing) New(_ int, sink requester.Sink) (requester.Requester, error) {
	r.sink = sink
	return r, nil
}
func (*refusing) Traits() requester.Traits       { return requester.Traits{} }
func (*refusing) Setup(context.Context) error    { return nil }
func (*refusing) Teardown(context.Context) error { return nil }

func (r *refusing) Request(context.Context, []byte) error {
	r.sink.Event("disconnected")
	return errTooBig
}

// A probe that is refused is one line, with what happened to the connection.
func TestAProbeThatIsRefusedIsOneLine(t *testing.T) {
	_, err := load.Run(t.Context(), new(refusing), load.Config{Schedule: constant(4, time.Second), Size: 64, Timeout: time.Second}, discard{}, load.Hooks{})
	if !errors.Is(err, errTooBig) || !strings.Contains(err.Error(), "disconnected") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}
