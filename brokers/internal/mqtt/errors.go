package mqtt

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"

	"github.com/eclipse/paho.golang/packets"
	"github.com/eclipse/paho.golang/paho"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	reasonNoSubscribers = 0x10
	reasonRefused       = 0x80 // and above
)

var errHandshake = errors.New("shaking hands")

// A reason is a reason code with which the broker refused something.
type reason struct {
	what string
	code byte
	text string // in the broker's own words; "" if it gave none
}

func (r *reason) Error() string {
	standard := packets.Connack{ReasonCode: r.code} // codes that several packets have mean the same
	return fmt.Sprintf("%s: %s (reason 0x%02x)", r.what, cmp.Or(r.text, standard.Reason(), "no reason given"), r.code)
}

func refusedBy(p *paho.Connack) error {
	return &reason{"the broker refused the connection", p.ReasonCode, p.Properties.ReasonString}
}

func disconnected(p *paho.Disconnect) error {
	return &reason{"the broker ended the connection", p.ReasonCode, p.Properties.ReasonString}
}

// Reasons that have a remedy.
var reasons = map[byte]string{
	packets.ConnackUnspecifiedError:           "look into the broker's log",
	packets.ConnackUnsupportedProtocolVersion: "MQTT 5 is needed: update the broker",
	packets.ConnackInvalidClientID:            "permit client identifiers that begin with brokerbench.",
	packets.ConnackBadUsernameOrPassword:      "correct user and password",
	packets.ConnackNotAuthorized:              "correct user and password, and permit the user to publish and subscribe to brokerbench/#",
	packets.DisconnectServerShuttingDown:      "the broker was stopped: start it again",
	packets.DisconnectSessionTakenOver:        "another run has this name: run again",
	packets.ConnackPacketTooLarge:             "send smaller messages, or raise the broker's limit (Mosquitto: max_packet_size)",
	packets.ConnackQuotaExceeded:              "a quota of the broker's: raise it",
}

var remedies = target.Remedies{
	{Err: errQoS, Remedy: "use a lower qos, or raise the broker's limit"},
	{Err: errTooLarge, Remedy: reasons[packets.ConnackPacketTooLarge]},
	{Err: transport.ErrNotBack, Remedy: "permit the user to publish and subscribe to brokerbench/#: a broker does not say that it drops a message of QoS 0"},
	{Err: transport.ErrQueueFull, Remedy: "the broker acknowledges too little: lower the rate, or raise its window (Mosquitto: max_inflight_messages)"},
	{Err: errTaken, Remedy: "run again; or is it left? `brokerbench clean` removes it"},
	{Err: errCutShort, Remedy: "raise how much it queues for a session (Mosquitto: max_queued_messages, max_queued_bytes; with per_listener_settings it keeps nothing for a session that is away), or send fewer messages"},
	{Err: requester.ErrStoreGone, Remedy: "the broker was started without its sessions, or somebody removed them: Mosquitto keeps them with persistence true"},
}

// explain returns a [target.Fault] of the target, or nil for a nil err.
func (f *Factory) explain(doing string, err error) error {
	return target.Explain(f.target, doing, err, f.remedy)
}

func (f *Factory) remedy(err error) string {
	var header tls.RecordHeaderError
	var code *reason
	switch {
	case errors.As(err, &header):
		return "the port does not speak TLS: use the scheme " + scheme + ", or correct the port"
	case errors.As(err, &code):
		return reasons[code.code]
	case errors.Is(err, errHandshake):
		return "is it an MQTT broker that speaks MQTT 5, and is " + f.target.Scheme + " the scheme of this port?"
	}
	return remedies.For(err)
}
