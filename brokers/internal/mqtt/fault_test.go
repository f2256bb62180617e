package mqtt

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/eclipse/paho.golang/packets"
)

func TestSetupExplains(t *testing.T) {
	host := brokertest.HostOf(t, brokertest.URL(t, "MQTT"))
	secure := brokertest.HostOf(t, brokertest.URL(t, "MQTT_TLS"))
	brokertest.SetupExplains(t, Open, map[string][]string{
		"refused":      {"mqtt://u:geheim@" + brokertest.Refusing(t), "connection refused", "start the broker"},
		"no TLS there": {"mqtts://u:geheim@" + host, "closed the connection", "is TLS expected?"},
		"TLS there":    {"mqtt://u:geheim@" + secure, "shaking hands", "does this port use TLS"},
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
		return &packets.Puback{PacketID: p.PacketID, ReasonCode: packets.ConnackNotAuthorized, Properties: &packets.Properties{}}
	}, &packets.Properties{}))
	err := requestertest.NewLink(t, factory(t, url, "qos=1"), 0).Begin()
	brokertest.WantError(t, err, "probing", "refused the message", "0x87")
}

func TestWhatTheBrokerDoesNotTake(t *testing.T) {
	one, size := byte(1), uint32(1000)
	publish := func(p *packets.Publish) packets.Packet { return p } // back, at once
	limited := scripted(t, agreeable(publish, &packets.Properties{MaximumQOS: &one, MaximumPacketSize: &size}))
	err := requestertest.NewLink(t, factory(t, limited, "qos=2"), 0).Begin()
	brokertest.WantFault(t, err, "does not grant QoS above 1", "use a lower qos")
}

func TestRemedies(t *testing.T) {
	f := factory(t, "mqtt://h", "")
	for code, says := range map[byte]string{
		packets.ConnackUnsupportedProtocolVersion: "MQTT 5 is needed", packets.ConnackInvalidClientID: "brokerbench.", packets.ConnackBadUsernameOrPassword: "password", packets.ConnackNotAuthorized: "brokerbench/#",
		packets.DisconnectServerShuttingDown: "start it again", packets.DisconnectSessionTakenOver: "run again", packets.ConnackPacketTooLarge: "max_packet_size", packets.ConnackQuotaExceeded: "quota", packets.ConnackUnspecifiedError: "log",
	} {
		brokertest.WantError(t, f.Explain("testing", &reason{what: "the broker refused the connection", code: code}), "mqtt://h: testing: the broker refused the connection: ", says)
	}
}

func TestAnExpiredCertificateIsExplained(t *testing.T) {
	address, file := brokertest.Expired(t)
	f := brokertest.Opened(t, Open, "mqtts://"+address+"?tls-ca="+file, "")
	brokertest.WantFault(t, requestertest.NewLink(t, f, 0).Begin(), brokertest.ExpiredSays...)
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
