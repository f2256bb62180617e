package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	amqp "github.com/rabbitmq/amqp091-go"
)

var errHandshake = errors.New("shaking hands")

// A session is an AMQP connection and the socket under it.
type session struct {
	*amqp.Connection
	transport.Socket
}

// dial connects to the first host that accepts, beginning with the one for the
// connection's number. name is the connection's name in the broker.
func (q *Queues) dial(ctx context.Context, number int, name string) (*session, error) {
	return transport.Dial(ctx, q.broker.Dialer(), number, q.shake(name))
}

// shake returns the handshake of a connection.
func (q *Queues) shake(name string) func(context.Context, transport.Socket, net.Conn) (*session, error) {
	return func(_ context.Context, s transport.Socket, conn net.Conn) (*session, error) {
		client, err := amqp.Open(conn, q.config(name))
		if err != nil {
			s.Cut()
			_ = client.Close() // ends the goroutines of amqp091-go
			return nil, fmt.Errorf("%w: %w", errHandshake, plain(err))
		}
		return &session{client, s}, nil
	}
}

// config returns the settings of a connection: a copy for each, because amqp.Open
// writes to it.
func (q *Queues) config(name string) amqp.Config {
	user, password := q.broker.User()
	properties := amqp.NewConnectionProperties()
	properties.SetClientConnectionName(name)
	return amqp.Config{
		SASL:       []amqp.Authentication{&amqp.PlainAuth{Username: user, Password: password}},
		Vhost:      q.broker.Vhost(),
		FrameSize:  q.options.FrameSize,
		Heartbeat:  q.options.heartbeat,
		Properties: properties,
		Locale:     "en_US",
	}
}

// close closes the connection. The goroutines of amqp091-go have ended then, or are about to.
func (s *session) close() { s.End(s.Close) }

// do calls do with a new connection, which ends with ctx.
func (q *Queues) do(ctx context.Context, name string, do func(s *session) error) error {
	s, err := q.dial(ctx, 0, name)
	if err != nil {
		return err
	}
	defer s.close()
	return s.During(ctx, func() error { return do(s) })
}

// doOver is do with the node at an address.
func (q *Queues) doOver(ctx context.Context, addr, name string, do func(s *session) error) error {
	s, err := transport.DialHost(ctx, q.broker.Dialer(), addr, q.shake(name))
	if err != nil {
		return err
	}
	defer s.close()
	return s.During(ctx, func() error { return do(s) })
}

// inspect returns the state of a queue; there is false if it does not exist.
func (s *session) inspect(name string) (state amqp.Queue, there bool, err error) {
	channel, err := s.Channel()
	if err != nil {
		return state, false, err
	}
	state, err = channel.QueueDeclarePassive(name, false, false, false, false, nil)
	switch {
	case notFound(err): // which closed the channel
		return state, false, nil
	case err != nil:
		return state, false, err
	}
	return state, true, channel.Close()
}
