package rabbitstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/amqp"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/message"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

const (
	rpcTimeout     = 10 * time.Second // of the client, for each call
	closeTimeout   = time.Second      // for the broker to confirm the close
	confirmTimeout = 24 * time.Hour   // of the client: the engine has another one
)

// A link is the client's side of a conn, from one disconnect to the next: an environment,
// a producer and consumers, each with a socket.
type link struct {
	options  *options
	headers  requester.Headers // of the messages that it sends
	env      *stream.Environment
	producer *stream.Producer // nil: none
	confirms stream.ChannelPublishConfirm
	cutOff   []func()   // cut the sockets
	lost     chan error // gets why the producer or a consumer ended, first
}

// dial opens an environment at the first host that answers, beginning with the one for the
// connection's number.
func (f *Factory) dial(ctx context.Context, number int) (*stream.Environment, error) {
	return target.Reach(f.broker.Addrs(), number, func(addr string) (*stream.Environment, error) {
		if _, err := f.peer(ctx, addr); err != nil {
			return nil, err
		}
		return within(ctx, func(env *stream.Environment) { _ = env.Close() }, func() (*stream.Environment, error) {
			options, err := f.environment(addr)
			if err != nil {
				return nil, err
			}
			return stream.NewEnvironment(options)
		})
	})
}

// environment returns the options of an environment at a host. User, password and vhost are
// escaped for the client, which puts them into a URL and unescapes the vhost twice.
func (f *Factory) environment(addr string) (*stream.EnvironmentOptions, error) {
	o := &f.options
	host, port, _ := net.SplitHostPort(f.broker.Target.At(addr))
	user, password := f.broker.User()
	options := stream.NewEnvironmentOptions().SetRPCTimeout(rpcTimeout).
		SetRequestedHeartbeat(o.heartbeat).SetRequestedMaxFrameSize(o.FrameSize).
		SetWriteBuffer(o.writeBuffer).SetReadBuffer(o.readBuffer).SetNoDelay(o.noDelay)
	options.ConnectionParameters = []*stream.Broker{{
		Scheme: f.broker.Target.Scheme, Host: bracketed(host), Port: port,
		User: url.User(user).String(), Password: url.User(password).String(), Vhost: url.PathEscape(url.QueryEscape(f.broker.Vhost())),
	}}
	if o.loadBalancer {
		at, _ := strconv.Atoi(port)
		options.SetAddressResolver(stream.AddressResolver{Host: bracketed(host), Port: at})
	}
	if !f.broker.Encrypted() {
		return options, nil
	}
	config, err := o.TLS.Config()
	if err == nil && config.ServerName == "" {
		config.ServerName = host
	}
	return options.SetTLSConfig(config), err
}

// bracketed returns a host as it is written in a URL.
func bracketed(host string) string {
	if ip := net.ParseIP(host); ip != nil && ip.To4() == nil {
		return "[" + host + "]"
	}
	return host
}

// A source is what a consumer reads.
type source struct {
	stream string
	from   stream.OffsetSpecification
	take   stream.MessagesHandler
	group  string // that stores its offsets; "": none
	resume bool   // read from behind the offset that the group has stored, if it has
}

// connect makes a link to streams that exist. Without a stream to which it sends it has no producer.
func (f *Factory) connect(ctx context.Context, number int, sendsTo string, sources ...source) (*link, error) {
	env, err := f.dial(ctx, number)
	if err != nil {
		return nil, err
	}
	return within(ctx, func(l *link) { l.Close(nil) }, func() (*link, error) {
		l := &link{options: &f.options, headers: f.headers, env: env, lost: make(chan error, 1+len(sources))}
		err := l.open(sendsTo, sources)
		if err != nil {
			l.Close(err)
			return nil, err
		}
		return l, nil
	})
}

// open creates producer and consumers.
func (l *link) open(sendsTo string, sources []source) error {
	if sendsTo != "" {
		if err := l.produce(sendsTo); err != nil {
			return err
		}
	}
	for _, s := range sources {
		if err := l.consume(s); err != nil {
			return err
		}
	}
	return nil
}

// produce creates the producer.
func (l *link) produce(name string) (err error) {
	o := l.options
	l.producer, err = l.env.NewProducer(name, stream.NewProducerOptions().SetBatchSize(o.batchSize).
		SetSubEntrySize(o.subEntry).SetQueueSize(o.pending).SetConfirmationTimeOut(confirmTimeout).SetClientProvidedName(name+" publishes"))
	if err != nil {
		return err
	}
	l.confirms = l.producer.NotifyPublishConfirmation()
	return l.follow(l.producer, l.producer.NotifyClose())
}

// consume creates a consumer.
func (l *link) consume(s source) error {
	o := l.options
	credit := stream.AutomaticCreditStrategy
	if !o.creditEach {
		credit = stream.ManualCreditStrategy
	}
	if s.group != "" && s.resume {
		stored, err := l.env.QueryOffset(s.group, s.stream)
		if err != nil && !errors.Is(err, stream.OffsetNotFoundError) {
			return err
		}
		if err == nil {
			s.from = s.from.Offset(stored + 1)
		}
	}
	consumer, err := l.env.NewConsumer(s.stream, s.take, stream.NewConsumerOptions().SetOffset(s.from).SetCRCCheck(o.checksum).
		SetInitialCredits(int16(o.credits)).SetCreditStrategy(credit).SetClientProvidedName(s.stream+" consumes").SetConsumerName(s.group))
	if err != nil {
		return err
	}
	return l.follow(consumer, consumer.NotifyClose())
}

// follow watches a producer or consumer, and keeps its socket in order to cut it.
func (l *link) follow(end any, closed <-chan stream.Event) error {
	go l.watch(closed)
	socket, err := socketOf(end)
	if err != nil {
		return err
	}
	l.cutOff = append(l.cutOff, func() { _ = socket.Close() })
	return nil
}

// watch reports why the link is lost. The client ends the channel.
func (l *link) watch(closed <-chan stream.Event) {
	switch event := <-closed; event.Reason {
	case stream.SocketClosed, stream.ZombieConsumer:
		l.lost <- errLost
	case stream.MetaDataUpdate:
		l.lost <- errUnavailable
	default:
		l.lost <- fmt.Errorf("%w: %s", errLost, event.Reason)
	}
}

// Send implements [transport.Link]: it publishes a copy of a message, because the client keeps it
// until it is confirmed. With batch-size=1 it writes to the socket, which blocks when the broker does
// not read.
func (l *link) Send(payload []byte) error {
	properties, data := transport.Properties(l.headers, payload)
	m := amqp.NewMessage(bytes.Clone(data))
	m.ApplicationProperties = properties
	if l.options.batchSize > 1 {
		return l.producer.Send(m)
	}
	return l.producer.BatchSend([]message.StreamMessage{m})
}

// Probe implements [transport.Link].
func (l *link) Probe(_ context.Context, payload []byte) error { return l.Send(payload) }

// Lost implements [transport.Link].
func (l *link) Lost() <-chan error { return l.lost }

// Cut implements [transport.Link].
func (l *link) Cut() {
	for _, cut := range l.cutOff {
		cut()
	}
}

// Close implements [transport.Link]. It cuts the sockets if that takes long: the client may take
// rpcTimeout to end the calls that it had begun.
func (l *link) Close(error) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = l.env.Close()
	}()
	select {
	case <-closed:
	case <-time.After(closeTimeout):
		l.Cut()
	}
}

// confirm reports the outcomes of messages, until the producer is closed. If the connection ended
// before a confirm, the outcome is not known: the message comes back, or it is lost.
func (c *conn) confirm(l *link) {
	for statuses := range l.confirms {
		for _, status := range statuses {
			m := status.GetMessage()
			stamp, data := transport.StampOf(m.GetApplicationProperties()), m.GetData()[0]
			switch err := status.GetError(); {
			case stamp == "" && len(data) < requester.StampSize: // a probe
			case status.IsConfirmed():
				c.AckedWith(stamp, data)
			case !errors.Is(err, stream.ConfirmationTimoutError):
				c.Failed(requester.Join(nil, stamp, data), err)
			}
		}
	}
}

// within returns the results of do, or the error of ctx when that ends. The client takes no
// contexts: do goes on then, and late receives its value.
func within[T any](ctx context.Context, late func(T), do func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := do()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		go func() {
			if o := <-done; o.err == nil {
				late(o.value)
			}
		}()
		var none T
		return none, ctx.Err()
	}
}
