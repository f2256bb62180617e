package rabbitmq

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

const (
	dialTimeout  = 10 * time.Second // for one host
	closeTimeout = 2 * time.Second  // for the broker's good-bye
)

var errHandshake = errors.New("shaking hands")

// A session is an AMQP connection and the socket under it. Whatever hangs on
// the connection ends when the socket is closed; closing the connection itself
// would hang as well, and TLS waits for up to 5 s to say good-bye.
type session struct {
	*amqp.Connection
	socket net.Conn
}

// dial connects to the first host that lets it, beginning with that of the
// connection's number. name is what the broker shows of it.
func (f *Factory) dial(ctx context.Context, number int, name string) (*session, error) {
	addrs := f.target.Addrs(map[string]string{scheme: "5672", schemeTLS: "5671"}[f.target.Scheme])
	var errs []error
	for i := range addrs {
		s, err := f.dialHost(ctx, addrs[(number+i)%len(addrs)], name)
		if err == nil {
			return s, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func (f *Factory) dialHost(ctx context.Context, addr, name string) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	socket, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
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

// open shakes hands for TLS and for AMQP.
func (f *Factory) open(ctx context.Context, s *session, addr, name string) error {
	conn := s.socket
	if f.tls != nil {
		config := f.tls.Clone()
		host, _, _ := net.SplitHostPort(addr)
		config.ServerName = cmp.Or(config.ServerName, host)
		secured := tls.Client(s.socket, config)
		if err := secured.HandshakeContext(ctx); err != nil {
			return err
		}
		conn = secured
	}
	var err error
	if s.Connection, err = amqp.Open(conn, f.config(name)); err != nil {
		s.cut()
		_ = s.Close() // ends the goroutines of amqp091-go
		return fmt.Errorf("%w: %w", errHandshake, plain(err))
	}
	return nil
}

// config returns the settings of a connection. It is made anew for each, since
// amqp.Open writes to it.
func (f *Factory) config(name string) amqp.Config {
	properties := amqp.NewConnectionProperties()
	properties.SetClientConnectionName(name)
	auth := &amqp.PlainAuth{Username: f.target.User, Password: f.target.Password}
	if f.target.User == "" {
		auth.Username, auth.Password = "guest", "guest"
	}
	return amqp.Config{
		SASL:       []amqp.Authentication{auth},
		Vhost:      f.vhost(),
		FrameSize:  f.options.frameSize,
		Heartbeat:  f.options.heartbeat,
		Properties: properties,
		Locale:     "en_US",
	}
}

// during calls do, and cuts the connection when ctx ends before do has returned:
// amqp091-go knows of no contexts.
func (s *session) during(ctx context.Context, do func() error) error {
	stop := context.AfterFunc(ctx, s.cut)
	defer stop()
	err := do()
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// cut ends the connection without a word.
func (s *session) cut() { _ = s.socket.Close() }

// close says good-bye to the broker, and waits a moment for its answer.
// What amqp091-go runs for the connection has ended, or is about to.
func (s *session) close() {
	late := time.AfterFunc(closeTimeout, s.cut)
	defer late.Stop()
	_ = s.Close() // an error says that it was closed already
	s.cut()
}
