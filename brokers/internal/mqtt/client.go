package mqtt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/eclipse/paho.golang/packets"
	"github.com/eclipse/paho.golang/paho"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A client is one connection to the broker.
type client struct {
	*paho.Client

	socket *transport.PacketConn
	old    bool // its session was there already

	shared              bool // the broker has shared subscriptions
	packet, qos, window int  // the broker's limits: bytes of a packet, 0 is none; quality of service; messages without an answer
}

// dial connects with an identifier to the first host that accepts, beginning with the one for the
// connection's number. The fields of open and config that all connections have in common are set.
// lose gets why the connection is lost.
func (f *Factory) dial(ctx context.Context, number int, open paho.Connect, config paho.ClientConfig, lose func(error)) (*client, error) {
	d := transport.Dialer{Target: f.Target, Port: "1883", NoDelay: f.options.noDelay}
	if f.Target.Scheme == schemeTLS {
		d.Port, d.TLS = "8883", &f.options.tls
	}
	most, outlives := uint16(f.options.receiveMaximum), uint32(expiry/time.Second)
	switch {
	case open.CleanStart:
		outlives = 0
	case open.Properties != nil:
		outlives = *open.Properties.SessionExpiryInterval
	}
	open.KeepAlive, open.Username, open.Password = uint16(f.options.keepAlive/time.Second), f.Target.User, []byte(f.Target.Password)
	open.UsernameFlag, open.PasswordFlag = f.Target.User != "", f.Target.Password != ""
	open.Properties = &paho.ConnectProperties{ReceiveMaximum: &most, RequestProblemInfo: true, SessionExpiryInterval: &outlives}
	config.PacketTimeout = time.Hour // all calls have a context that ends earlier, or the connection is lost
	config.OnClientError = lose
	config.OnServerDisconnect = func(p *paho.Disconnect) {
		lose(&reason{"the broker ended the connection", p.ReasonCode, p.Properties.ReasonString})
	}
	return transport.Dial(ctx, d, number, func(ctx context.Context, s transport.Socket, conn net.Conn) (*client, error) {
		answer := &answerConn{Conn: conn}
		socket := transport.NewPacketConn(answer, s)
		config.Conn = socket
		c := &client{Client: paho.NewClient(config), socket: socket}
		return c, c.shake(ctx, &open, answer)
	})
}

// An answerConn keeps the first bytes that the broker sends.
type answerConn struct {
	net.Conn

	first []byte
}

// Read implements net.Conn. Until the handshake is over, one goroutine reads.
func (a *answerConn) Read(b []byte) (n int, err error) {
	n, err = a.Conn.Read(b)
	if missing := len(oldAnswer) - len(a.first); missing > 0 {
		a.first = append(a.first, b[:min(n, missing)]...)
	}
	return n, err
}

// oldAnswer is the CONNACK of MQTT 3.1.1 to a client that speaks another version. It has no
// properties, so that paho cannot read it.
var oldAnswer = []byte{0x20, 2, 0, 1}

// shake does MQTT's handshake.
func (c *client) shake(ctx context.Context, open *paho.Connect, first *answerConn) error {
	answer, err := c.Connect(ctx, open)
	if err != nil && ctx.Err() == nil && bytes.Equal(first.first, oldAnswer) { // paho has read it
		return errOld
	}
	if answer != nil && answer.ReasonCode >= reasonRefused {
		return &reason{"the broker refused the connection", answer.ReasonCode, answer.Properties.ReasonString}
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errHandshake, err)
	}
	c.old, c.qos, c.window = answer.SessionPresent, 2, maxReceive
	c.shared = answer.Properties.SharedSubAvailable
	if limit := answer.Properties.MaximumPacketSize; limit != nil {
		c.packet = int(*limit)
	}
	if limit := answer.Properties.MaximumQoS; limit != nil {
		c.qos = int(*limit)
	}
	if limit := answer.Properties.ReceiveMaximum; limit != nil {
		c.window = int(*limit)
	}
	return nil
}

// with calls do with a separate connection, to the same host as the connection with that number. The
// context of do ends when the connection is lost, with the reason.
func (f *Factory) with(ctx context.Context, number int, open paho.Connect, config paho.ClientConfig, do func(context.Context, *client) error) error {
	over, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	c, err := f.dial(ctx, number, open, config, lose)
	if err != nil {
		return err
	}
	defer c.close(false)
	return c.socket.During(over, func() error { return do(over, c) })
}

// delivering has a client pass on what is delivered to it, with the stamp if that is no part of the message.
func delivering(deliver func(stamp string, message []byte)) paho.ClientConfig {
	return paho.ClientConfig{OnPublishReceived: []func(paho.PublishReceived) (bool, error){func(p paho.PublishReceived) (bool, error) {
		deliver(stampOf(p.Packet), p.Packet.Payload)
		return true, nil
	}}}
}

// subscribe subscribes to a topic.
func (c *client) subscribe(ctx context.Context, topic string, qos int) error {
	granted, err := c.Subscribe(ctx, &paho.Subscribe{Subscriptions: []paho.SubscribeOptions{{Topic: topic, QoS: byte(qos)}}})
	switch {
	case granted != nil && len(granted.Reasons) > 0 && granted.Reasons[0] >= reasonRefused:
		err = &reason{what: "the broker refused it", code: granted.Reasons[0]}
	case err == nil && (len(granted.Reasons) != 1 || int(granted.Reasons[0]) != qos):
		err = fmt.Errorf("%w of %d", errQoS, qos)
	}
	if err != nil {
		return fmt.Errorf("subscribing to %s: %w", topic, target.Because(ctx, err))
	}
	return nil
}

// close says goodbye, and ends the connection and its goroutines. remove also ends the session.
func (c *client) close(remove bool) {
	goodbye := &paho.Disconnect{}
	if remove {
		goodbye.Properties = &paho.DisconnectProperties{SessionExpiryInterval: new(uint32)}
	}
	c.socket.End(func() error { return c.Disconnect(goodbye) })
}

// publisher returns a function that writes a message to the socket, when the broker's window has room for
// it. One goroutine at a time may call that.
func (c *client) publisher(ctx context.Context, topic string, qos int, h requester.Headers) func(payload []byte) error {
	message := &paho.Publish{Topic: topic, QoS: byte(qos)}
	return func(payload []byte) error {
		dress(message, h, payload)
		if _, err := c.PublishWithOptions(ctx, message, paho.PublishOptions{Method: paho.PublishMethod_AsyncSend}); err != nil {
			return err
		}
		return c.socket.Err()
	}
}

const (
	reasonNoSubscribers = 0x10
	reasonRefused       = 0x80 // and above
)

// A reason is a reason code with which the broker refused something.
type reason struct {
	what string
	code byte
	text string // in the broker's own words; "" if it gave none
}

// Error implements error.
func (r *reason) Error() string {
	standard := packets.Connack{ReasonCode: r.code} // codes that several packets have mean the same
	return fmt.Sprintf("%s: %s (reason 0x%02x)", r.what, cmp.Or(r.text, standard.Reason(), "no reason given"), r.code)
}

// Is reports whether another reason has the same code: for [remedies].
func (r *reason) Is(other error) bool {
	o, ok := other.(*reason)
	return ok && o.code == r.code
}

var (
	errHandshake = errors.New("shaking hands")
	errOld       = errors.New("the broker speaks MQTT 3.1.1 and refuses MQTT 5, which brokerbench speaks")
	errQoS       = errors.New("the broker does not grant QoS")
	errShared    = errors.New("the broker has no shared subscriptions")
	errTooLarge  = errors.New("the broker takes no packet so large")
)

const smaller = "send smaller messages, or raise the broker's limit (Mosquitto: max_packet_size)"

var remedies = target.Remedies{
	{Err: &reason{code: packets.ConnackUnspecifiedError}, Remedy: "look into the broker's log"},
	{Err: &reason{code: packets.ConnackUnsupportedProtocolVersion}, Remedy: "MQTT 5 is needed: update the broker"},
	{Err: &reason{code: packets.ConnackInvalidClientID}, Remedy: "permit client identifiers that begin with brokerbench."},
	{Err: &reason{code: packets.ConnackBadUsernameOrPassword}, Remedy: "correct user and password"},
	{Err: &reason{code: packets.ConnackNotAuthorized}, Remedy: "correct user and password, and permit the user to publish and subscribe to brokerbench/#"},
	{Err: &reason{code: packets.DisconnectServerShuttingDown}, Remedy: "the broker was stopped: start it again"},
	{Err: &reason{code: packets.DisconnectSessionTakenOver}, Remedy: "another run has this name: run again"},
	{Err: &reason{code: packets.ConnackPacketTooLarge}, Remedy: smaller},
	{Err: &reason{code: packets.ConnackQuotaExceeded}, Remedy: "a quota of the broker's: raise it"},
	{Err: errOld, Remedy: "update the broker, or use another of its protocols, such as nats:// of NATS"},
	{Err: errHandshake, Remedy: "is it an MQTT broker that speaks MQTT 5, as RabbitMQ does since 3.13, and does this port use TLS if and only if the scheme is mqtts?"},
	{Err: errQoS, Remedy: "use a lower qos, or raise the broker's limit"},
	{Err: errShared, Remedy: "each group has one member then: use --members 1"},
	{Err: errTooLarge, Remedy: smaller},
	{Err: transport.ErrNotBack, Remedy: "permit the user to publish and subscribe to brokerbench/#: a broker does not say that it drops a message of QoS 0"},
	{Err: transport.ErrQueueFull, Remedy: "the broker acknowledges too little: lower the rate, or raise its window (Mosquitto: max_inflight_messages)"},
	{Err: errTaken, Remedy: "run again; or is it left? `brokerbench clean` removes it"},
	{Err: errCutShort, Remedy: "raise how much it queues for a session (Mosquitto: max_queued_messages, max_queued_bytes; with per_listener_settings it keeps nothing for a session that is away), or send fewer messages"},
	{Err: requester.ErrStoreGone, Remedy: "the broker was started without its sessions, or somebody removed them: Mosquitto keeps them with persistence true"},
}
