package mqtt

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/outbox"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/eclipse/paho.golang/packets"
	"github.com/eclipse/paho.golang/paho"
)

var (
	errQoS      = errors.New("the broker does not grant QoS")
	errTooLarge = errors.New("the broker takes no packet so large")
	errCutShort = errors.New("the session lacks the last message that was acknowledged, though no connection was lost: it has met a limit of the broker's")
)

// Codes of reasons, as MQTT 5 has them.
const (
	codeUnspecified   = 0x80
	codeProtocol      = 0x84
	codeIdentifier    = 0x85
	codePassword      = 0x86
	codeNotAuthorized = 0x87
	codeShuttingDown  = 0x8b
	codeTakenOver     = 0x8e
	codeTooLarge      = 0x95
	codeQuota         = 0x97
)

// A reasonError is what the broker said in its own words.
type reasonError struct {
	what string
	code byte
	text string
}

func (e *reasonError) Error() string {
	return fmt.Sprintf("%s: %s (reason 0x%02x)", e.what, e.text, e.code)
}

// refusedBy returns why the broker refused a connection.
func refusedBy(answer *paho.Connack) error {
	said := ""
	if answer.Properties != nil {
		said = answer.Properties.ReasonString
	}
	raw := packets.Connack{ReasonCode: answer.ReasonCode}
	return &reasonError{what: "the broker refused the connection", code: answer.ReasonCode, text: cmp.Or(said, raw.Reason(), "no reason given")}
}

// disconnected returns why the broker ended a connection.
func disconnected(p *paho.Disconnect) error {
	said := ""
	if p.Properties != nil {
		said = p.Properties.ReasonString
	}
	raw := packets.Disconnect{ReasonCode: p.ReasonCode}
	return &reasonError{what: "the broker ended the connection", code: p.ReasonCode, text: cmp.Or(said, raw.Reason(), "no reason given")}
}

// unsubscribed returns why the broker refused a subscription.
func unsubscribed(answer *paho.Suback, err error) error {
	if answer == nil || len(answer.Reasons) == 0 || answer.Reasons[0] < reasonRefused {
		return err
	}
	said := ""
	if answer.Properties != nil {
		said = answer.Properties.ReasonString
	}
	raw := packets.Connack{ReasonCode: answer.Reasons[0]} // the codes that both have mean the same
	return &reasonError{what: "the broker refused it", code: answer.Reasons[0], text: cmp.Or(said, raw.Reason(), "no reason given")}
}

// explain returns a [target.Fault] of the target, or nil for a nil err.
func (f *Factory) explain(doing string, err error) error {
	return target.Explain(f.target, doing, err, f.remedy)
}

func (f *Factory) remedy(err error) string {
	var header tls.RecordHeaderError
	var reason *reasonError
	switch {
	case errors.As(err, &header):
		return "the port does not speak TLS: use the scheme " + scheme + ", or correct the port"
	case errors.As(err, &reason):
		return remedyFor(reason.code)
	case errors.Is(err, errQoS):
		return "use a lower qos, or raise the broker's limit"
	case errors.Is(err, errTooLarge):
		return "send smaller messages, or raise the broker's limit (Mosquitto: max_packet_size)"
	case errors.Is(err, errNotBack):
		return "permit the user to publish and subscribe to brokerbench/#: a broker does not say that it drops a message of QoS 0"
	case errors.Is(err, outbox.ErrFull):
		return "the broker acknowledges too little: lower the rate, or raise its window (Mosquitto: max_inflight_messages)"
	case errors.Is(err, errTaken):
		return "run again; or is it left? `brokerbench clean` removes it"
	case errors.Is(err, errCutShort):
		return "raise how much it queues for a session (Mosquitto: max_queued_messages, max_queued_bytes; with per_listener_settings it keeps nothing for who is away), or send fewer messages"
	case errors.Is(err, requester.ErrStoreGone):
		return "the broker was started without its sessions, or somebody removed them: Mosquitto keeps them with persistence true"
	case errors.Is(err, errHandshake):
		return "is it an MQTT broker that speaks MQTT 5, and is " + f.target.Scheme + " the scheme of this port?"
	}
	return ""
}

// remedyFor returns the remedy for a reason of the broker's.
func remedyFor(code byte) string {
	switch code {
	case codeProtocol:
		return "MQTT 5 is needed: update the broker"
	case codeIdentifier:
		return "permit client identifiers that begin with brokerbench."
	case codePassword:
		return "correct user and password"
	case codeNotAuthorized:
		return "correct user and password, and permit the user to publish and subscribe to brokerbench/#"
	case codeShuttingDown:
		return "the broker was stopped: start it again"
	case codeTakenOver:
		return "another run has this name: run again"
	case codeTooLarge:
		return "send smaller messages, or raise the broker's limit (Mosquitto: max_packet_size)"
	case codeQuota:
		return "a quota of the broker's: raise it"
	case codeUnspecified:
		return "look into the broker's log"
	}
	return ""
}
