package mqtt

import (
	"io"
	"testing"

	"github.com/eclipse/paho.golang/packets"
	"github.com/eclipse/paho.golang/paho/session/state"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// connectedSession returns a session that is connected, and what it reports.
func connectedSession(t *testing.T, window uint16) (s *session, acked *int, failed *[]error) {
	t.Helper()
	acked, failed = new(int), new([]error)
	s = &session{state.NewInMemory(), transport.NewWindow[uint16](func([]byte) { *acked++ }, func(_ []byte, cause error) { *failed = append(*failed, cause) }), make(map[uint16]byte)}
	answer := &packets.Connack{Properties: &packets.Properties{ReceiveMaximum: &window}}
	if err := s.ConAckReceived(io.Discard, &packets.Connect{Properties: &packets.Properties{}}, answer); err != nil {
		t.Fatal(err)
	}
	return s, acked, failed
}

// add adds a message, and returns its packet identifier.
func (s *session) add(t *testing.T) uint16 {
	t.Helper()
	message := &packets.Publish{QoS: 1, Payload: requestertest.Payload(0, 1, 100)}
	if err := s.AddToSession(t.Context(), message, make(chan packets.ControlPacket, 1)); err != nil {
		t.Fatal(err)
	}
	return message.PacketID
}

func (s *session) answer(p packets.Packet) {
	_ = s.PacketReceived(&packets.ControlPacket{Content: p}, nil)
}

// The identifiers of messages that were acknowledged are free again.
func TestIdentifiersStayWithinTheWindow(t *testing.T) {
	s, acked, _ := connectedSession(t, 3)
	ids := []uint16{s.add(t), s.add(t), s.add(t)}
	for range 1000 {
		s.answer(&packets.Puback{PacketID: ids[0]})
		ids = append(ids[1:], s.add(t))
	}
	if *acked != 1000 {
		t.Errorf("%d acknowledged, want 1000", *acked)
	}
}

// Answers to messages that were never sent are ignored.
func TestStrayAnswers(t *testing.T) {
	s, acked, failed := connectedSession(t, 10)
	for _, id := range []uint16{0, 1, 65535} {
		for _, p := range []packets.Packet{
			&packets.Puback{PacketID: id}, &packets.Pubrec{PacketID: id}, &packets.Pubcomp{PacketID: id},
			&packets.Pubrec{PacketID: id, ReasonCode: reasonNoSubscribers}, &packets.Puback{PacketID: id, ReasonCode: reasonRefused},
		} {
			s.answer(p)
		}
	}
	if *acked != 0 || len(*failed) > 0 {
		t.Errorf("%d acknowledged, failed %v", *acked, *failed)
	}
}

// A message that reaches nobody keeps its place in the window until the exchange is over.
func TestNobodyIsSettledAtTheEnd(t *testing.T) {
	s, acked, failed := connectedSession(t, 10)
	id := s.add(t)
	s.answer(&packets.Pubrec{PacketID: id, ReasonCode: reasonNoSubscribers})
	if *acked != 0 || len(*failed) > 0 {
		t.Errorf("%d acknowledged, failed %v, before PUBCOMP", *acked, *failed)
	}
	s.answer(&packets.Pubcomp{PacketID: id})
	if *acked != 0 || len(*failed) != 1 {
		t.Errorf("%d acknowledged, failed %v", *acked, *failed)
	}
}

// A message that is refused, or that reaches nobody, fails once and is not acknowledged.
func TestRefusedMessagesFail(t *testing.T) {
	for name, answers := range map[string]func(id uint16) []packets.Packet{
		"refused": func(id uint16) []packets.Packet {
			return []packets.Packet{&packets.Puback{PacketID: id, ReasonCode: 0x97}}
		},
		"nobody": func(id uint16) []packets.Packet {
			return []packets.Packet{&packets.Puback{PacketID: id, ReasonCode: reasonNoSubscribers}}
		},
		"refused 2": func(id uint16) []packets.Packet {
			return []packets.Packet{&packets.Pubrec{PacketID: id, ReasonCode: 0x87}}
		},
		"nobody 2": func(id uint16) []packets.Packet {
			return []packets.Packet{&packets.Pubrec{PacketID: id, ReasonCode: reasonNoSubscribers}, &packets.Pubcomp{PacketID: id}}
		},
	} {
		s, acked, failed := connectedSession(t, 10)
		id := s.add(t)
		for range 2 {
			for _, p := range answers(id) {
				s.answer(p)
			}
		}
		if *acked != 0 || len(*failed) != 1 {
			t.Errorf("%s: %d acknowledged, failed %v", name, *acked, *failed)
		}
	}
}
