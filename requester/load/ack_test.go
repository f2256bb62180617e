package load_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

const lost = -1 * time.Second

// An ackFactory acknowledges and delivers each message after times of its own; lost: never.
type ackFactory struct {
	times func(seq uint64) (acked, delivered time.Duration)
	// refuse says which messages are refused, 2 ms after they were sent.
	refuse func(seq uint64) bool
}

type ackerConn struct {
	of    ackFactory
	reply func([]byte)
	ack   func([]byte)
	fail  func([]byte, error)
}

func (p ackFactory) New(_ int, sink requester.Sink) (requester.Requester, error) {
	return &ackerConn{of: p, reply: sink.Reply, ack: sink.Acked, fail: sink.Failed}, nil
}

func (*ackerConn) Traits() requester.Traits         { return requester.Traits{Acknowledges: true} }
func (p *ackerConn) Setup(context.Context) error    { return nil }
func (p *ackerConn) Teardown(context.Context) error { return nil }
func (p *ackerConn) Request(_ context.Context, b []byte) error {
	b = append([]byte(nil), b...)
	stamp, _ := requester.ReadStamp(b)
	if stamp.Seq == requester.ProbeSeq {
		p.reply(b)
		return nil
	}
	acked, delivered := p.of.times(stamp.Seq)
	if acked >= 0 {
		time.AfterFunc(acked, func() { p.ack(b) })
	}
	if delivered >= 0 {
		time.AfterFunc(delivered, func() { p.reply(b) })
	}
	if p.of.refuse != nil && p.of.refuse(stamp.Seq) {
		time.AfterFunc(2*time.Millisecond, func() { p.fail(b, errors.New("refused")) })
	}
	return nil
}

// ackKeeper keeps acknowledgements, too.
type ackKeeper struct {
	keeper
	acks list[load.Ack]
}

func (k *ackKeeper) RecordAck(a load.Ack) { k.acks.add(a) }

// acked runs 1,000 messages, of which the first 100 are the warm-up.
func acked(t *testing.T, p ackFactory) (load.Outcome, *ackKeeper) {
	t.Helper()
	k := &ackKeeper{}
	out := virtually(t, p, load.Config{Schedule: constant(100, 10*time.Second), Warmup: time.Second, Timeout: 2 * time.Second}, k)
	return out, k
}

func TestAcksAndDeliveriesAreApart(t *testing.T) {
	out, k := acked(t, ackFactory{times: func(seq uint64) (acked, delivered time.Duration) {
		if seq%2 == 0 {
			return 3 * time.Millisecond, 5 * time.Millisecond
		}
		return 7 * time.Millisecond, 5 * time.Millisecond // delivered before it is acknowledged
	}})
	if want := (load.AckLedger{Acked: 900, Delivered: 900, Early: 450}); out.AckLedger != want || !out.Acks {
		t.Errorf("ledger %+v, want %+v", out.AckLedger, want)
	}
	wantLedger(t, out.Window, load.Ledger{Due: 900, Done: 900})
	if len(k.acks.all) != 1000 || len(k.ops.all) != 1000 {
		t.Fatalf("%d acknowledgements and %d ops of 1000", len(k.acks.all), len(k.ops.all))
	}
	for _, a := range k.acks.all {
		if want := time.Duration(3+4*(a.Seq%2)) * time.Millisecond; a.Wait() != want || a.Done != (a.Seq%2 == 1) || a.Warmup != (a.Seq < 100) {
			t.Fatalf("%+v waited %v, want %v", a, a.Wait(), want)
		}
	}
	for _, op := range k.ops.all {
		if op.Response() != 5*time.Millisecond || op.Acked != (op.Seq%2 == 0) {
			t.Fatalf("%+v", op)
		}
	}
}

// What was acknowledged and never came back is missing; what came back and was
// not acknowledged is none.
func TestAcknowledgementsAreCounted(t *testing.T) {
	out, _ := acked(t, ackFactory{
		times: func(seq uint64) (acked, delivered time.Duration) {
			switch seq % 100 {
			case 7:
				return time.Millisecond, lost
			case 8:
				return lost, time.Millisecond
			case 9:
				return lost, lost
			case 10: // refused after it came back
				return lost, time.Millisecond
			case 11: // refused although it was acknowledged
				return time.Millisecond, 3 * time.Millisecond
			case 12:
				return lost, lost
			}
			return time.Millisecond, time.Millisecond
		},
		refuse: func(seq uint64) bool { return seq%100 >= 10 && seq%100 <= 12 },
	})
	if want := (load.AckLedger{Acked: 900 - 4*9, Delivered: 900 - 5*9, Missing: 9, Unacked: 2 * 9, Early: out.AckLedger.Early}); out.AckLedger != want {
		t.Errorf("ledger %+v, want %+v", out.AckLedger, want)
	}
	wantLedger(t, out.Window, load.Ledger{Due: 900, Done: 900 - 3*9, Lost: 2 * 9, Failed: 9})
}

// Messages that come back twice, or after later ones, are said.
func TestDisorderAndDuplicates(t *testing.T) {
	out, _ := acked(t, ackFactory{times: func(seq uint64) (acked, delivered time.Duration) {
		if seq%10 == 3 {
			return time.Millisecond, 15 * time.Millisecond // after the next one, due 10 ms later
		}
		return time.Millisecond, time.Millisecond
	}})
	if out.AckLedger.Disordered != 90 || out.AckLedger.Delivered != 900 {
		t.Errorf("ledger %+v", out.AckLedger)
	}
}

// A run waits for the acknowledgement of what came back, and not beyond the timeout.
func TestARunWaitsForAcks(t *testing.T) {
	for name, tt := range map[string]struct{ acked, want time.Duration }{
		"late":  {time.Second, 10*time.Second + 990*time.Millisecond},
		"never": {lost, 12 * time.Second},
	} {
		out, _ := acked(t, ackFactory{times: func(uint64) (time.Duration, time.Duration) { return tt.acked, time.Millisecond }})
		if out.Elapsed < tt.want || out.Elapsed > tt.want+20*time.Millisecond {
			t.Errorf("%s: it took %v, want %v", name, out.Elapsed, tt.want)
		}
	}
}

// Acknowledgements that never come take no more memory than replies that never come.
func TestMissingAcksAreBounded(t *testing.T) {
	k := &ackKeeper{}
	p := ackFactory{times: func(uint64) (time.Duration, time.Duration) { return lost, time.Millisecond }}
	out := virtually(t, p, load.Config{Schedule: constant(100_000, 30*time.Second), Timeout: time.Second, Connections: 1}, k)
	if out.AckLedger.Unacked != 3_000_000 || out.Window.Done != 3_000_000 {
		t.Errorf("ledger %+v, ledger %+v", out.AckLedger, out.Window)
	}
}

// What is complete is so when the later of the two is there, not before.
func TestCompleteIsTheLater(t *testing.T) {
	_, k := acked(t, ackFactory{times: func(seq uint64) (acked, delivered time.Duration) {
		return time.Duration(1+seq%3) * time.Millisecond, 2 * time.Millisecond
	}})
	for _, op := range k.ops.all {
		if want := op.Due + 2*time.Millisecond; op.Acked && op.Complete != want {
			t.Fatalf("%+v, want %v", op, want)
		}
	}
	for _, a := range k.acks.all {
		if want := a.Due + time.Duration(1+a.Seq%3)*time.Millisecond; a.Done && a.Complete != max(want, a.Due+2*time.Millisecond) {
			t.Fatalf("%+v", a)
		}
	}
}

// A limit on messages in flight counts replies: an acknowledgement holds no slot.
func TestAcksHoldNoSlot(t *testing.T) {
	k := &ackKeeper{}
	p := ackFactory{times: func(uint64) (time.Duration, time.Duration) { return 500 * time.Millisecond, time.Millisecond }}
	virtually(t, p, load.Config{Schedule: constant(100, time.Second), Timeout: 2 * time.Second, InFlight: 1}, k)
	for _, op := range k.ops.all {
		if op.Response() != time.Millisecond {
			t.Fatalf("%+v", op)
		}
	}
}
