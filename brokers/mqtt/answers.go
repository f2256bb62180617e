package mqtt

import (
	"github.com/eclipse/paho.golang/packets"
	"github.com/eclipse/paho.golang/paho/log"
)

// PacketReceived implements [pahosession.SessionManager]. It is called by the goroutine that
// reads. Deliveries go on to paho's other one, so that none holds up an acknowledgement.
func (s *session) PacketReceived(p *packets.ControlPacket, deliver chan<- *packets.Publish) error {
	switch packet := p.Content.(type) {
	case *packets.Publish:
		select {
		case deliver <- packet:
		case <-s.ended:
		}
	case *packets.Puback:
		s.settle(packet.PacketID, packet.ReasonCode, packet.Reason())
	case *packets.Pubrec:
		return s.received(packet)
	case *packets.Pubcomp:
		s.settle(packet.PacketID, packet.ReasonCode, packet.Reason())
	case *packets.Pubrel:
		return s.send(&packets.Pubcomp{PacketID: packet.PacketID, Properties: &packets.Properties{}})
	case *packets.Suback, *packets.Unsuback:
		if one := s.release(p.PacketID()); one.answer != nil {
			one.answer <- *p // paho made it with room for one
		}
	}
	return nil
}

// received goes on with a message of QoS 2 that the broker has, or has refused.
func (s *session) received(packet *packets.Pubrec) error {
	switch {
	case packet.ReasonCode >= reasonRefused:
		s.settle(packet.PacketID, packet.ReasonCode, packet.Reason())
		return nil
	case packet.ReasonCode == reasonNoSubscribers:
		s.unheard(packet.PacketID)
	}
	return s.send(&packets.Pubrel{PacketID: packet.PacketID, Properties: &packets.Properties{}})
}

// Ack implements [pahosession.SessionManager]: a delivery was passed on.
func (s *session) Ack(p *packets.Publish) error {
	switch {
	case s.mute:
	case p.QoS == 1:
		return s.send(&packets.Puback{PacketID: p.PacketID, Properties: &packets.Properties{}})
	case p.QoS == 2:
		return s.send(&packets.Pubrec{PacketID: p.PacketID, Properties: &packets.Properties{}})
	}
	return nil
}

// send writes a packet. An error is that the connection is lost, which its reader learns.
func (s *session) send(p packets.Packet) error {
	_, err := p.WriteTo(s.to)
	return err
}

// quiet is what a session has and does not use.
type quiet struct{}

// Close implements [pahosession.SessionManager]. Nobody calls it.
func (quiet) Close() error { return nil }

// SetErrorLogger implements [pahosession.SessionManager].
func (quiet) SetErrorLogger(log.Logger) {}

// SetDebugLogger implements [pahosession.SessionManager].
func (quiet) SetDebugLogger(log.Logger) {}
