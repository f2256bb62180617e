package rabbitmq

import (
	"context"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	amqp "github.com/rabbitmq/amqp091-go"
)

// seqs returns the sequences in the stamps of heads.
func seqs(heads []message) (all []uint64) {
	for _, h := range heads {
		stamp, _ := requester.ReadStamp(h.payload())
		all = append(all, stamp.Seq)
	}
	return all
}

func TestSentTellsWhatAClosedChannelLost(t *testing.T) {
	for _, confirms := range []bool{false, true} {
		s := newSent(confirms)
		for seq := range uint64(1000) {
			size := 100
			if seq == 990 || seq == 995 {
				size = 500
			}
			s.push(requestertest.Payload(0, seq, size))
		}
		lost := seqs(s.after(499))
		if len(lost) != 10 || lost[0] != 990 || lost[9] != 999 {
			t.Errorf("confirms %t: lost %v, want 990 to 999", confirms, lost)
		}
		if again := s.after(0); len(again) > 0 {
			t.Errorf("confirms %t: told twice: %v", confirms, seqs(again))
		}
	}
}

func TestSentWithoutConfirmsIsBounded(t *testing.T) {
	s := newSent(false)
	for seq := range uint64(10 * messagesKept) {
		s.push(requestertest.Payload(0, seq, 100))
	}
	if got := seqs(s.after(0)); len(got) != messagesKept || got[0] != 9*messagesKept {
		t.Errorf("%d kept from %d, want %d from %d", len(got), got[0], messagesKept, 9*messagesKept)
	}
}

func TestSentForgetsWhatWasNotWritten(t *testing.T) {
	s := newSent(false)
	s.push(requestertest.Payload(0, 1, 100))
	s.forget(s.push(requestertest.Payload(0, 2, 100)))
	s.push(requestertest.Payload(0, 3, 100))
	if got := seqs(s.after(0)); len(got) != 2 || got[0] != 1 || got[1] != 3 {
		t.Errorf("kept %v, want 1 and 3", got)
	}
}

// The broker may close the channel before the write that it refuses returns.
func TestSentForgetsAfterItWasTold(t *testing.T) {
	s := newSent(true)
	n := s.push(requestertest.Payload(0, 1, 100))
	if got := seqs(s.after(99)); len(got) != 1 {
		t.Errorf("lost %v, want 1", got)
	}
	s.expect(n, new(amqp.DeferredConfirmation))
	s.forget(n)
	if _, ok := s.oldest(); ok {
		t.Error("it is still remembered")
	}
}

func TestSentInOrderOfConfirms(t *testing.T) {
	s := newSent(true)
	first, second := s.push(requestertest.Payload(0, 1, 100)), s.push(requestertest.Payload(0, 2, 100))
	if _, ok := s.oldest(); ok {
		t.Error("a message that is not written yet waits for no confirm")
	}
	s.expect(first, new(amqp.DeferredConfirmation))
	s.expect(second, new(amqp.DeferredConfirmation))
	for _, want := range []uint64{1, 2} {
		h, ok := s.oldest()
		if got := seqs([]message{h}); !ok || got[0] != want {
			t.Errorf("oldest is %v, want %d", got, want)
		}
		s.pop(h)
		s.pop(h) // is not the oldest any more
	}
	if _, ok := s.oldest(); ok {
		t.Error("there is still one")
	}
}

// What Request does besides amqp091-go's own work allocates nothing.
func TestRequestAllocatesNothingOfItsOwn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	g := &transport.WriteCanceler{Cut: func() {}}
	message, confirm := requestertest.Payload(0, 0, 1024), new(amqp.DeferredConfirmation)
	for _, confirms := range []bool{false, true} {
		s := newSent(confirms)
		allocs := testing.AllocsPerRun(10*messagesKept, func() {
			g.Enter(ctx)
			n := s.push(message)
			if confirms {
				s.expect(n, confirm)
				h, _ := s.oldest()
				s.pop(h)
			}
			g.Leave()
		})
		if allocs != 0 {
			t.Errorf("confirms %t: %v allocations a request, want 0", confirms, allocs)
		}
	}
}
