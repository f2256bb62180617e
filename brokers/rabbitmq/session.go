package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	amqp "github.com/rabbitmq/amqp091-go"
)

const (
	dialTimeout  = 10 * time.Second // for one host
	closeTimeout = 2 * time.Second  // for the broker to confirm the close
)

var errHandshake = errors.New("shaking hands")

// A session is an AMQP connection and the socket under it. Closing the socket ends
// whatever hangs on the connection. Closing the connection would hang as well, and
// closing TLS takes up to 5 s.
type session struct {
	*amqp.Connection
	socket net.Conn
}

// dial connects to the first host that accepts, beginning with the one for the
// connection's number. name is the connection's name in the broker.
func (f *Factory) dial(ctx context.Context, number int, name string) (*session, error) {
	return target.Reach(f.addrs(), number, func(addr string) (*session, error) { return f.dialHost(ctx, addr, name) })
}

// addrs returns host and port of the nodes.
func (f *Factory) addrs() []string {
	return f.target.Addrs(map[string]string{scheme: "5672", schemeTLS: "5671"}[f.target.Scheme])
}

func (f *Factory) dialHost(ctx context.Context, addr, name string) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	socket, err := new(net.Dialer).DialContext(ctx, "tcp", f.target.At(addr))
	if err != nil {
		return nil, err
	}
	s := &session{socket: socket}
	err = s.during(ctx, func() error { return f.open(ctx, s, addr, name) })
	if err != nil {
		s.cut()
		return nil, fmt.Errorf("%s: %w", addr, err)
	}
	return s, nil
}

// open does the handshakes of TLS and of AMQP.
func (f *Factory) open(ctx context.Context, s *session, addr, name string) (err error) {
	conn := s.socket
	if f.encrypted() {
		if conn, err = f.options.tls.Client(ctx, s.socket, addr); err != nil {
			return err
		}
	}
	if s.Connection, err = amqp.Open(conn, f.config(name)); err != nil {
		s.cut()
		_ = s.Close() // ends the goroutines of amqp091-go
		return fmt.Errorf("%w: %w", errHandshake, plain(err))
	}
	return nil
}

// user returns the user and the password.
func (f *Factory) user() *amqp.PlainAuth {
	if f.target.User == "" {
		return &amqp.PlainAuth{Username: "guest", Password: "guest"}
	}
	return &amqp.PlainAuth{Username: f.target.User, Password: f.target.Password}
}

// config returns the settings of a connection: a copy for each, because amqp.Open
// writes to it.
func (f *Factory) config(name string) amqp.Config {
	properties := amqp.NewConnectionProperties()
	properties.SetClientConnectionName(name)
	return amqp.Config{
		SASL:       []amqp.Authentication{f.user()},
		Vhost:      f.vhost(),
		FrameSize:  f.options.frameSize,
		Heartbeat:  f.options.heartbeat,
		Properties: properties,
		Locale:     "en_US",
	}
}

// during calls do, and cuts the connection if ctx ends before do returns: amqp091-go
// takes no contexts.
func (s *session) during(ctx context.Context, do func() error) error {
	stop := context.AfterFunc(ctx, s.cut)
	defer stop()
	err := do()
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// cut closes the socket.
func (s *session) cut() { _ = s.socket.Close() }

// close closes the connection, and waits a moment for the broker's answer. The
// goroutines of amqp091-go have ended then, or are about to.
func (s *session) close() {
	late := time.AfterFunc(closeTimeout, s.cut)
	defer late.Stop()
	_ = s.Close() // it fails only if it was closed already
	s.cut()
}
