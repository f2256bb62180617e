package brokertest

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/payload"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// Contents returns messages of different sizes, for [Headers]: the longest has size bytes.
func Contents(size int) [][]byte {
	return [][]byte{bytes.Repeat([]byte("a"), 16), bytes.Repeat([]byte("short "), 20), bytes.Repeat([]byte("0123456789abcdef"), size/16)}
}

// Fixed are headers for [Headers].
func Fixed() []requester.Header {
	return []requester.Header{{Name: "header-1", Value: "first value"}, {Name: "header-2", Value: "2"}}
}

// Headers sends messages whose stamps travel in a header, and wants each to come back with its content, and
// acknowledged if the system does that.
func Headers(t *testing.T, f requester.Factory) {
	t.Helper()
	const size, due = 2048, 400
	if err := requester.Carry(f, requester.Headers{Stamp: true, Fixed: Fixed()}); err != nil {
		t.Fatal(err)
	}
	cfg := load.Config{
		Schedule: schedule.Spec{Rate: 200, Duration: 2 * time.Second}, Size: size, Connections: 2,
		Payload: payload.Contents{Files: Contents(size), Beside: true},
	}
	o, err := load.Run(t.Context(), f, cfg, &fanned{}, load.Hooks{Settled: func(mine func([]byte) (int, uint64, bool)) { wantKept(t, f, mine, due) }})
	if err != nil {
		t.Fatal(err)
	}
	if want := (load.Ledger{Due: due, Done: due}); o.Window != want || o.Strays != (load.Strays{}) || len(o.Left) > 0 || len(o.Events) > 0 {
		t.Errorf("ledger %+v, strays %+v, left %v, failures %v, events %v", o.Window, o.Strays, o.Left, o.Failures, o.Events)
	}
	if o.Acks && o.AckLedger.Acked != due {
		t.Errorf("%+v", o.AckLedger)
	}
}

// wantKept wants the audit of a log to find so many messages of the run.
func wantKept(t *testing.T, f requester.Factory, mine func([]byte) (int, uint64, bool), due int) {
	t.Helper()
	auditor, ok := requester.As[requester.Auditor](f)
	if !ok || auditor.Store().Consuming {
		return
	}
	found := 0
	err := auditor.Audit(t.Context(), func(payload []byte) {
		if _, _, ok := mine(payload); ok {
			found++
		}
	})
	if !errors.Is(err, requester.ErrKeepsNothing) && (err != nil || found != due) {
		t.Errorf("the audit finds %d messages of %d: %v", found, due, err)
	}
}

// WantMessage wants what a broker stores to be the content of a payload alone, with all headers.
func WantMessage(t *testing.T, message []byte, header func(name string) string) {
	t.Helper()
	if want := Payload()[requester.StampSize:]; !bytes.Equal(message, want) {
		t.Errorf("the message is %q, want %q", message, want)
	}
	for _, h := range append(Fixed(), requester.Header{Name: requester.StampHeader, Value: "00000001000000020000000000000003"}) {
		if got := header(h.Name); got != h.Value {
			t.Errorf("header %s is %q, want %q", h.Name, got, h.Value)
		}
	}
}

// Payload returns the payload of the message that [WantMessage] wants.
func Payload() []byte {
	payload := append(make([]byte, requester.StampSize), "the content"...)
	requester.Stamp{Run: 1, Conn: 2, Seq: 3}.Put(payload)
	return payload
}
