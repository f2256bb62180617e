package mqtt

import (
	"errors"
	"io"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/eclipse/paho.golang/packets"
)

// Identifiers are used again when they are free, and never more than the window.
func TestIdentifiersStayWithinTheWindow(t *testing.T) {
	s := newSession()
	most := uint16(3)
	_ = s.ConAckReceived(io.Discard, nil, &packets.Connack{Properties: &packets.Properties{ReceiveMaximum: &most}})
	message := &packets.Publish{Payload: brokertest.Payload(0, 1, 100)}
	for range 3 {
		if err := s.AddToSession(t.Context(), message, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.AddToSession(t.Context(), message, nil); !errors.Is(err, errWindow) || s.room(true) {
		t.Errorf("a fourth: %v", err)
	}
	acked := 0
	s.acked = func([]byte) { acked++ }
	for round := range 1000 {
		id := uint16(round%3 + 1)
		_ = s.PacketReceived(&packets.ControlPacket{Content: &packets.Puback{PacketID: id}}, nil)
		if round == 0 {
			<-s.freed // somebody waited
		}
		if err := s.AddToSession(t.Context(), message, nil); err != nil || message.PacketID != id {
			t.Fatalf("round %d: identifier %d, want %d; %v", round, message.PacketID, id, err)
		}
	}
	if acked != 1000 || len(s.slots) != 3 || len(s.freed) > 0 {
		t.Errorf("%d acknowledged, %d slots", acked, len(s.slots))
	}
}

// Answers to what was never asked are ignored.
func TestStrayAnswers(t *testing.T) {
	s := newSession()
	s.acked = func([]byte) { t.Error("acknowledged") }
	s.failed = func([]byte, error) { t.Error("failed") }
	_ = s.ConAckReceived(io.Discard, nil, &packets.Connack{})
	for _, id := range []uint16{0, 1, 65535} {
		for _, p := range []packets.Packet{
			&packets.Puback{PacketID: id}, &packets.Pubrec{PacketID: id}, &packets.Pubcomp{PacketID: id}, &packets.Suback{PacketID: id},
			&packets.Pubrel{PacketID: id}, &packets.Pubrec{PacketID: id, ReasonCode: reasonNoSubscribers},
		} {
			_ = s.PacketReceived(&packets.ControlPacket{Content: p}, nil)
		}
	}
	if len(s.free) > 0 || s.flying != 0 {
		t.Errorf("free %v, %d in flight", s.free, s.flying)
	}
}

// What is asked for gets an answer, even when the connection is lost.
func TestALostConnectionAnswersRequests(t *testing.T) {
	s := newSession()
	answer := make(chan packets.ControlPacket, 1)
	if err := s.AddToSession(t.Context(), &packets.Subscribe{}, answer); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_ = s.ConnectionLost(nil)
	}
	if p := <-answer; p.Type != 0 {
		t.Errorf("%v", p)
	}
	if err := s.AddToSession(t.Context(), &packets.Subscribe{}, answer); !errors.Is(err, errConnection) {
		t.Error(err)
	}
	_ = s.PacketReceived(&packets.ControlPacket{Content: &packets.Publish{}}, nil) // nobody takes it: it does not hang
}

// An acknowledgement costs no allocation of ours.
func TestAnAcknowledgementAllocatesNothing(t *testing.T) {
	s := newSession()
	message := &packets.Publish{Payload: brokertest.Payload(0, 1, 100)}
	ack := &packets.ControlPacket{Content: &packets.Puback{PacketID: 1}}
	if n := testing.AllocsPerRun(1000, func() {
		_ = s.AddToSession(t.Context(), message, nil)
		_ = s.PacketReceived(ack, nil)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
