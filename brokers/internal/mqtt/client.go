package mqtt

import (
	"context"
	"fmt"
	"time"

	"github.com/eclipse/paho.golang/paho"
	pahosession "github.com/eclipse/paho.golang/paho/session"
	"github.com/eclipse/paho.golang/paho/session/state"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
)

// closeTimeout bounds the end of a connection.
const closeTimeout = 2 * time.Second

// A client is one connection to the broker.
type client struct {
	*paho.Client

	socket *transport.PacketConn
	answer *paho.Connack
	lost   chan error // gets why it is lost, first
}

// A dialOptions says what a client is for.
type dialOptions struct {
	id      string
	resume  bool                       // resume the session of that name
	expiry  uint32                     // seconds for which the session outlives its connection
	session pahosession.SessionManager // nil: paho's
	deliver func(payload []byte)       // nil: nothing is subscribed
	keep    bool                       // acknowledge no delivery, so that the broker keeps all
}

// dial connects to the first host that accepts, beginning with the one for the
// connection's number.
func (f *Factory) dial(ctx context.Context, number int, o dialOptions) (*client, error) {
	d := transport.Dialer{Target: f.target, Port: map[string]string{scheme: "1883", schemeTLS: "8883"}[f.target.Scheme], NoDelay: f.options.noDelay}
	if f.encrypted() {
		d.TLS = &f.options.tls
	}
	return transport.Dial(ctx, d, number, func(ctx context.Context, socket *transport.PacketConn) (*client, error) {
		return f.shake(ctx, socket, o)
	})
}

// shake does MQTT's handshake.
func (f *Factory) shake(ctx context.Context, socket *transport.PacketConn, o dialOptions) (c *client, err error) {
	c = &client{socket: socket, lost: make(chan error, 1)}
	if o.session == nil {
		o.session = state.NewInMemory()
	}
	c.Client = paho.NewClient(paho.ClientConfig{
		Conn: socket, Session: o.session, EnableManualAcknowledgment: o.keep,
		PacketTimeout:      time.Hour, // all calls have a context that ends earlier, or the connection is lost
		OnPublishReceived:  []func(paho.PublishReceived) (bool, error){o.received},
		OnClientError:      c.lose,
		OnServerDisconnect: func(p *paho.Disconnect) { c.lose(disconnected(p)) },
	})
	c.answer, err = c.Connect(ctx, f.connect(o))
	if c.answer != nil && c.answer.ReasonCode >= reasonRefused {
		return nil, refusedBy(c.answer)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errHandshake, err)
	}
	return c, nil
}

// received passes on a delivery.
func (o dialOptions) received(p paho.PublishReceived) (bool, error) {
	if o.deliver != nil {
		o.deliver(p.Packet.Payload)
	}
	return true, nil
}

// connect returns the packet that opens a connection.
func (f *Factory) connect(o dialOptions) *paho.Connect {
	most := uint16(f.options.receiveMaximum)
	p := &paho.Connect{
		ClientID: o.id, CleanStart: !o.resume, KeepAlive: uint16(f.options.keepAlive / time.Second),
		Username: f.target.User, UsernameFlag: f.target.User != "",
		Password: []byte(f.target.Password), PasswordFlag: f.target.Password != "",
		Properties: &paho.ConnectProperties{ReceiveMaximum: &most, RequestProblemInfo: true},
	}
	if o.expiry > 0 {
		p.Properties.SessionExpiryInterval = &o.expiry
	}
	return p
}

// subscribe subscribes to a topic.
func (c *client) subscribe(ctx context.Context, topic string, qos int) error {
	granted, err := c.Subscribe(ctx, &paho.Subscribe{Subscriptions: []paho.SubscribeOptions{{Topic: topic, QoS: byte(qos)}}})
	switch {
	case err != nil && granted != nil && len(granted.Reasons) > 0 && granted.Reasons[0] >= reasonRefused:
		err = &reason{what: "the broker refused it", code: granted.Reasons[0]}
	case err == nil && (len(granted.Reasons) != 1 || int(granted.Reasons[0]) != qos):
		err = fmt.Errorf("%w of %d", errQoS, qos)
	}
	if err != nil {
		return fmt.Errorf("subscribing to %s: %w", topic, target.Because(ctx, err))
	}
	return nil
}

// lose records why the connection is lost.
func (c *client) lose(err error) {
	select {
	case c.lost <- err:
	default: // the first reason is known
	}
}

// close says goodbye, and ends the connection and its goroutines. remove also ends the session.
func (c *client) close(remove bool) {
	late := time.AfterFunc(closeTimeout, c.socket.Cut)
	defer late.Stop()
	goodbye := &paho.Disconnect{}
	if remove {
		goodbye.Properties = &paho.DisconnectProperties{SessionExpiryInterval: new(uint32)}
	}
	_ = c.Disconnect(goodbye) // it fails only if the connection is lost
}

// publish writes a message to the socket, when the broker's window has room for it.
func (c *client) publish(ctx context.Context, message *paho.Publish, payload []byte) error {
	message.Payload = payload
	if _, err := c.PublishWithOptions(ctx, message, paho.PublishOptions{Method: paho.PublishMethod_AsyncSend}); err != nil {
		return err
	}
	return c.socket.Err()
}

// limits returns what the broker said about its limits when it accepted the connection: the
// largest packet, 0 if there is no limit, the highest quality of service, and the window.
func (c *client) limits() (packet, qos, window int) {
	p := c.answer.Properties
	return int(valueOr(p.MaximumPacketSize, 0)), int(valueOr(p.MaximumQoS, 2)), int(valueOr(p.ReceiveMaximum, maxReceive))
}

func valueOr[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
