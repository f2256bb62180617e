package mqtt

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/eclipse/paho.golang/paho"
)

const (
	dialTimeout  = 10 * time.Second // for one host
	closeTimeout = 2 * time.Second  // for a connection's end
)

var errHandshake = errors.New("shaking hands")

// A client is one connection to the broker, with its session.
type client struct {
	*paho.Client

	socket  *socket
	session *session
	answer  *paho.Connack
	lost    chan error // gets why it is lost, first
}

// A dialling says what a client is for.
type dialling struct {
	id      string
	resume  bool                 // take up the session of that name
	expiry  uint32               // seconds for which the session outlives its connection
	session *session             // nil: one that tells nobody anything
	deliver func(payload []byte) // nil: nothing is subscribed
}

// dial connects to the first host that accepts, beginning with the one for the
// connection's number.
func (f *Factory) dial(ctx context.Context, number int, d dialling) (*client, error) {
	addrs := f.target.Addrs(map[string]string{scheme: "1883", schemeTLS: "8883"}[f.target.Scheme])
	return target.Reach(addrs, number, func(addr string) (*client, error) { return f.dialHost(ctx, addr, d) })
}

func (f *Factory) dialHost(ctx context.Context, addr string, d dialling) (*client, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", f.target.At(addr))
	if err != nil {
		return nil, err
	}
	if tcp, ok := raw.(*net.TCPConn); ok {
		_ = tcp.SetNoDelay(f.options.noDelay)
	}
	cut := context.AfterFunc(ctx, func() { _ = raw.Close() })
	defer cut()
	c, err := f.open(ctx, raw, addr, d)
	if err != nil {
		_ = raw.Close()
		return nil, fmt.Errorf("%s: %w", addr, target.Because(ctx, err))
	}
	return c, nil
}

// open does the handshakes of TLS and of MQTT.
func (f *Factory) open(ctx context.Context, raw net.Conn, addr string, d dialling) (c *client, err error) {
	secured := raw
	if f.encrypted() {
		if secured, err = f.options.tls.Client(ctx, raw, addr); err != nil {
			return nil, err
		}
	}
	c = &client{socket: newSocket(secured, raw), session: d.session, lost: make(chan error, 1)}
	if c.session == nil {
		c.session = newSession()
	}
	c.Client = paho.NewClient(paho.ClientConfig{
		Conn: c.socket, Session: c.session, PacketTimeout: dialTimeout,
		OnPublishReceived:  []func(paho.PublishReceived) (bool, error){d.delivered},
		OnClientError:      c.lose,
		OnServerDisconnect: func(p *paho.Disconnect) { c.lose(disconnected(p)) },
	})
	c.answer, err = c.Connect(ctx, f.connect(d))
	if c.answer != nil && c.answer.ReasonCode >= reasonRefused {
		return nil, refusedBy(c.answer)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errHandshake, err)
	}
	return c, nil
}

// delivered passes on a delivery.
func (d dialling) delivered(p paho.PublishReceived) (bool, error) {
	if d.deliver != nil {
		d.deliver(p.Packet.Payload)
	}
	return true, nil
}

// connect returns the packet that opens a connection.
func (f *Factory) connect(d dialling) *paho.Connect {
	most := uint16(f.options.receiveMaximum)
	p := &paho.Connect{
		ClientID: d.id, CleanStart: !d.resume, KeepAlive: uint16(f.options.keepAlive / time.Second),
		Username: f.target.User, UsernameFlag: f.target.User != "",
		Password: []byte(f.target.Password), PasswordFlag: f.target.Password != "",
		Properties: &paho.ConnectProperties{ReceiveMaximum: &most, RequestProblemInfo: true},
	}
	if d.expiry > 0 {
		p.Properties.SessionExpiryInterval = &d.expiry
	}
	return p
}

// subscribe subscribes to a topic.
func (c *client) subscribe(ctx context.Context, topic string, qos int) error {
	granted, err := c.Subscribe(ctx, &paho.Subscribe{Subscriptions: []paho.SubscribeOptions{{Topic: topic, QoS: byte(qos)}}})
	if err != nil {
		return fmt.Errorf("subscribing to %s: %w", topic, unsubscribed(granted, err))
	}
	if len(granted.Reasons) != 1 || int(granted.Reasons[0]) != qos {
		return fmt.Errorf("subscribing to %s: %w of %d", topic, errQoS, qos)
	}
	return nil
}

// lose says why the connection is lost.
func (c *client) lose(err error) {
	select {
	case c.lost <- err:
	default: // it is known
	}
}

// close says farewell, and ends the connection. Its goroutines have ended then. remove ends
// the session with it.
func (c *client) close(remove bool) {
	late := time.AfterFunc(closeTimeout, c.socket.cut)
	defer late.Stop()
	farewell := &paho.Disconnect{}
	if remove {
		farewell.Properties = &paho.DisconnectProperties{SessionExpiryInterval: new(uint32)}
	}
	_ = c.Disconnect(farewell) // it fails only if the connection is lost
}

// largest returns the largest packet that the broker takes; 0: it sets no limit.
func (c *client) largest() int {
	if p := c.answer.Properties; p != nil && p.MaximumPacketSize != nil {
		return int(*p.MaximumPacketSize)
	}
	return 0
}

// highestQoS returns the highest quality of service that the broker has.
func (c *client) highestQoS() int {
	if p := c.answer.Properties; p != nil && p.MaximumQoS != nil {
		return int(*p.MaximumQoS)
	}
	return 2
}
