package mqtt

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/eclipse/paho.golang/packets"
	"github.com/eclipse/paho.golang/paho"
)

func TestSetupExplains(t *testing.T) {
	host := brokertest.HostOf(t, brokertest.URL(t, "MQTT"))
	secure := brokertest.HostOf(t, brokertest.URL(t, "MQTT_TLS"))
	brokertest.SetupExplains(t, Open, map[string][]string{
		"refused":      {"mqtt://u:geheim@" + brokertest.Refusing(t), "connection refused", "start the broker"},
		"no TLS there": {"mqtts://u:geheim@" + host, "closed the connection", "is TLS expected?"},
		"TLS there":    {"mqtt://u:geheim@" + secure, "shaking hands", "is mqtt the scheme of this port?"},
		"authority":    {"mqtts://u:geheim@" + secure, "certificate", "tls-ca"},
		"password":     {"mqtts://u:geheim@" + secure + "?tls-insecure=true", "refused the connection", "correct user and password"},
		"another kind": {"mqtt://" + brokertest.Accept(t, badRequest), "shaking hands", "is it an MQTT broker"},
	})
}

// badRequest is what a web server says.
func badRequest(c net.Conn) {
	_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
	_ = c.Close()
}

// A broker that acts by a script says what Mosquitto would need a configuration of its own for.
func scripted(t *testing.T, answer func(*packets.ControlPacket) []packets.Packet) string {
	t.Helper()
	return "mqtt://" + brokertest.Accept(t, func(c net.Conn) {
		for {
			p, err := packets.ReadPacket(c)
			if err != nil {
				return
			}
			for _, one := range answer(p) {
				if _, err := one.WriteTo(c); err != nil {
					return
				}
			}
		}
	})
}

// agreeable answers everything, and delivers nothing; publish answers a message.
func agreeable(publish func(*packets.Publish) packets.Packet, connack *packets.Properties) func(*packets.ControlPacket) []packets.Packet {
	none := &packets.Properties{}
	return func(p *packets.ControlPacket) []packets.Packet {
		switch packet := p.Content.(type) {
		case *packets.Connect:
			return []packets.Packet{&packets.Connack{Properties: connack}}
		case *packets.Subscribe:
			return []packets.Packet{&packets.Suback{PacketID: packet.PacketID, Reasons: []byte{packet.Subscriptions[0].QoS}, Properties: none}}
		case *packets.Pingreq:
			return []packets.Packet{&packets.Pingresp{}}
		case *packets.Publish:
			return []packets.Packet{publish(packet)}
		}
		return nil
	}
}

func TestARefusedProbeIsExplained(t *testing.T) {
	url := scripted(t, agreeable(func(p *packets.Publish) packets.Packet {
		return &packets.Puback{PacketID: p.PacketID, ReasonCode: codeNotAuthorized, Properties: &packets.Properties{}}
	}, &packets.Properties{}))
	err := brokertest.NewLink(t, factory(t, url, "qos=1"), 0).Begin()
	brokertest.WantError(t, err, "probing", "refused the message", "0x87")
}

func TestWhatTheBrokerDoesNotTake(t *testing.T) {
	one, size := byte(1), uint32(1000)
	publish := func(p *packets.Publish) packets.Packet { return p } // back, at once
	limited := scripted(t, agreeable(publish, &packets.Properties{MaximumQOS: &one, MaximumPacketSize: &size}))
	err := brokertest.NewLink(t, factory(t, limited, "qos=2"), 0).Begin()
	brokertest.WantFault(t, err, "does not grant QoS above 1", "use a lower qos")
}

// Each message that is refused, or that reaches nobody, fails; the others are acknowledged.
func TestWhatIsRefusedFails(t *testing.T) {
	for name, one := range map[string]struct {
		packet *packets.ControlPacket
		says   string
	}{
		"refused":   {&packets.ControlPacket{Content: &packets.Puback{PacketID: 1, ReasonCode: codeQuota}}, "refused the message: "},
		"nobody":    {&packets.ControlPacket{Content: &packets.Puback{PacketID: 1, ReasonCode: reasonNoSubscribers}}, "no subscriber"},
		"refused 2": {&packets.ControlPacket{Content: &packets.Pubrec{PacketID: 1, ReasonCode: codeNotAuthorized}}, "refused the message: "},
	} {
		s := newSession()
		var cause error
		s.failed = func(_ []byte, err error) { cause = err }
		s.acked = func([]byte) { t.Errorf("%s: acknowledged", name) }
		if err := s.AddToSession(t.Context(), &packets.Publish{Payload: brokertest.Payload(0, 1, 100)}, nil); err != nil {
			t.Fatal(err)
		}
		_ = s.PacketReceived(one.packet, nil)
		brokertest.WantError(t, cause, one.says)
		if s.flying != 0 || len(s.free) != 1 {
			t.Errorf("%s: %d in flight", name, s.flying)
		}
		_ = s.PacketReceived(one.packet, nil) // once more is nothing
	}
}

// The identifier of a message of QoS 2 that reaches nobody is not used again before its end.
func TestNobodyIsSubscribedWithQoS2(t *testing.T) {
	s := newSession()
	var to strings.Builder
	_ = s.ConAckReceived(&to, nil, &packets.Connack{})
	failures := 0
	s.failed = func([]byte, error) { failures++ }
	_ = s.AddToSession(t.Context(), &packets.Publish{Payload: brokertest.Payload(0, 1, 100)}, nil)
	_ = s.PacketReceived(&packets.ControlPacket{Content: &packets.Pubrec{PacketID: 1, ReasonCode: reasonNoSubscribers}}, nil)
	if failures > 0 || len(s.free) > 0 || to.Len() == 0 {
		t.Errorf("%d failures, free %v, %d B sent", failures, s.free, to.Len())
	}
	_ = s.PacketReceived(&packets.ControlPacket{Content: &packets.Pubcomp{PacketID: 1}}, nil)
	if failures != 1 || len(s.free) != 1 {
		t.Errorf("%d failures, free %v", failures, s.free)
	}
}

func TestRemedies(t *testing.T) {
	f := factory(t, "mqtt://h", "")
	for code, says := range map[byte]string{
		codeProtocol: "MQTT 5 is needed", codeIdentifier: "brokerbench.", codePassword: "password", codeNotAuthorized: "brokerbench/#",
		codeShuttingDown: "start it again", codeTakenOver: "run again", codeTooLarge: "max_packet_size", codeQuota: "quota", codeUnspecified: "log",
	} {
		brokertest.WantError(t, f.explain("testing", refusedBy(&paho.Connack{ReasonCode: code})), "mqtt://h: testing: the broker refused the connection: ", says)
		brokertest.WantError(t, f.explain("testing", disconnected(&paho.Disconnect{ReasonCode: code})), "the broker ended the connection: ", says)
	}
}

func TestAnExpiredCertificateIsExplained(t *testing.T) {
	address, file := brokertest.Expired(t)
	f := brokertest.Opened(t, Open, "mqtts://"+address+"?tls-ca="+file, "")
	brokertest.WantFault(t, brokertest.NewLink(t, f, 0).Begin(), brokertest.ExpiredSays...)
}

func TestDescribe(t *testing.T) {
	d, err := running(t, "qos=1").Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Product != mosquitto || !strings.HasPrefix(d.Version, "2.") || !strings.HasPrefix(d.Client, clientModule) || d.Durability == nil {
		t.Errorf("%+v", d)
	}
	brokertest.WantSettings(t, d.Settings, map[string]string{"qos": "1", "server-maximum-qos": "2", "server-maximum-packet-size": "none"})
	_, err = running(t, "durability=process").Describe(t.Context())
	brokertest.WantFault(t, err, "does not back durability=process", "durability=accepted")
}

func TestDescribeExplains(t *testing.T) {
	brokertest.DescribeExplains(t, factory(t, "mqtt://u:geheim@"+brokertest.Refusing(t), ""))
}
