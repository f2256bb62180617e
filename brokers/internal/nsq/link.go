package nsq

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nsqio/go-nsq"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
)

const (
	port      = "4150"
	answers   = 4096            // that the goroutine which reports them may be behind
	closeTime = 2 * time.Second // for nsqd to confirm that a consumer ends
)

// A link is the sockets of a connection, from one disconnect to the next.
type link struct {
	transport.Work

	conn      *conn
	addr      string
	producer  *nsq.Producer // nil: none
	consumers []*nsq.Consumer
	answers   chan *nsq.ProducerTransaction
	stop      func() // ends the producer; every message has its answer afterwards
	waiting   atomic.Int64
	idle      chan struct{} // gets that no message waits for its answer, while the link ends
	ending    atomic.Bool
	cause     atomic.Pointer[error] // why it was lost; nil: not known
}

// A message is one that waits for OK. The client writes it after Send has returned.
type message struct {
	body  []byte
	probe chan<- error // nil: it is no probe
}

// messages are those whose buffer may be used again.
var messages = sync.Pool{New: func() any { return new(message) }}

// open makes a link. Its channels are there already, and keep what comes before the subscriptions.
func (c *conn) open(ctx context.Context) (*link, error) {
	config, err := c.factory.config(c.ahead)
	if err != nil {
		return nil, err
	}
	addr := c.factory.Target.Addrs(port)[0]
	if err := c.factory.greet(ctx, addr); err != nil {
		return nil, target.Because(ctx, err)
	}
	l := &link{conn: c, addr: c.factory.Target.At(addr), answers: make(chan *nsq.ProducerTransaction, answers), idle: make(chan struct{}, 1), stop: func() {}}
	l.Begin(ctx)
	done := make(chan error, 1)
	go func() { done <- l.connect(config) }() // the client takes no context
	select {
	case err := <-done:
		if err != nil {
			l.Close(err)
		}
		return l, target.Because(ctx, handshake(err))
	case <-ctx.Done():
		go func() { l.Close(<-done) }() // within its ReadTimeout
		return nil, ctx.Err()
	}
}

// greet asks nsqd at an address whether it wants TLS: the client does without if nsqd has none, and crashes
// the process if it is refused for that. Before TLS nsqd refuses CLS, and says why.
func (f *Factory) greet(ctx context.Context, addr string) error {
	d, encrypted := transport.Dialer{Target: f.Target}, f.Target.Scheme == schemeTLS
	raw, _, err := d.Open(ctx, addr)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
	defer raw.Close()
	said, err := exchange(raw, encrypted)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errHandshake, err)
	case encrypted && !bytes.Contains(said, []byte(`"tls_v1":true`)):
		return errNoTLS
	case !encrypted && bytes.Contains(said, []byte("TLS required")):
		return errTLS
	}
	return nil
}

// exchange returns the answer of nsqd to IDENTIFY, and without TLS to CLS.
func exchange(raw net.Conn, encrypted bool) ([]byte, error) {
	identify, err := nsq.Identify(map[string]any{"feature_negotiation": true, "tls_v1": encrypted})
	if err != nil {
		return nil, err
	}
	said := bytes.NewBuffer(slices.Clone(nsq.MagicV2))
	_, _ = identify.WriteTo(said) // never fails
	if !encrypted {
		_, _ = nsq.StartClose().WriteTo(said)
	}
	if _, err = raw.Write(said.Bytes()); err != nil {
		return nil, err
	}
	limited := io.LimitReader(raw, 1<<16) // a server of another kind may say anything
	_, answer, err := nsq.ReadUnpackedResponse(limited)
	if err == nil && !encrypted {
		_, answer, err = nsq.ReadUnpackedResponse(limited)
	}
	return answer, err
}

// handshake tells errors of the client's handshake, known only by their text, from those of connecting.
func handshake(err error) error {
	if err != nil && strings.HasPrefix(err.Error(), "failed to ") {
		return fmt.Errorf("%w: %w", errHandshake, err)
	}
	return err
}

// config returns the settings of the client.
func (f *Factory) config(ahead int) (*nsq.Config, error) {
	o, c := &f.options, nsq.NewConfig()
	c.DialTimeout, c.WriteTimeout, c.ReadTimeout = transport.DialTimeout, o.writeTimeout, 2*o.heartbeat
	c.MaxInFlight, c.OutputBufferSize, c.OutputBufferTimeout = ahead, int64(o.outputBuffer), o.outputTimeout
	c.MsgTimeout, c.HeartbeatInterval, c.LookupdPollInterval = o.messageLimit, o.heartbeat, o.reconnectWait
	c.AuthSecret, c.MaxAttempts = f.Target.Password, 0
	c.UserAgent = "brokerbench"
	if f.Target.Scheme != schemeTLS {
		return c, nil
	}
	var config *tls.Config
	config, err := o.tls.Config()
	c.TlsV1, c.TlsConfig = true, config
	return c, err
}

// connect connects consumers and producer.
func (l *link) connect(config *nsq.Config) error {
	for _, from := range l.conn.from {
		if err := l.consume(config, from); err != nil {
			return err
		}
	}
	if l.conn.to == "" {
		return nil
	}
	var err error
	if l.producer, err = nsq.NewProducer(l.addr, config); err != nil {
		return err
	}
	l.stop = sync.OnceFunc(l.producer.Stop)
	l.producer.SetLogger(failures{l}, nsq.LogLevelError)
	if err := l.producer.Ping(); err != nil {
		return err
	}
	l.Go(l.report)
	return nil
}

// consume subscribes to a channel.
func (l *link) consume(config *nsq.Config, from source) error {
	consumer, err := nsq.NewConsumer(from.topic, from.channel, config)
	if err != nil {
		return err
	}
	l.consumers = append(l.consumers, consumer)
	consumer.SetLogger(failures{l}, nsq.LogLevelError)
	consumer.AddHandler(nsq.HandlerFunc(func(m *nsq.Message) error {
		if !l.conn.Deliver(m.Body) {
			m.DisableAutoResponse() // the connection ends: nsqd keeps it
		}
		return nil
	}))
	return consumer.ConnectToNSQD(l.addr)
}

// failures takes the log of the client, which alone says that a connection was lost.
type failures struct{ *link }

// Output implements the client's logger.
func (f failures) Output(_ int, line string) error {
	if !f.ending.Load() {
		_, cause, _ := strings.Cut(line, ") ") // before that are level, number and address
		err := errors.New(cause)
		f.cause.CompareAndSwap(nil, &err)
		f.Lose(err)
	}
	return nil
}

// Cut implements [transport.Link]. A call of the client ends with its timeout.
func (l *link) Cut() {
	l.ending.Store(true)
	for _, c := range l.consumers {
		go c.Stop()
	}
	go l.stop()
}

// Close implements [transport.Link]. Messages that wait fail with the cause that the client has.
func (l *link) Close(error) {
	l.ending.Store(true)
	l.Stop()
	for _, c := range l.consumers {
		l.Go(func() { end(c) })
	}
	if l.waiting.Load() > 0 { // an answer that comes after the producer ended would hold up a goroutine of the client for ever
		select {
		case <-l.idle:
		case <-time.After(closeTime):
		}
	}
	l.stop()
	close(l.answers)
	l.Wait()
}

// end ends a consumer.
func end(c *nsq.Consumer) {
	c.Stop()
	select {
	case <-c.StopChan:
	case <-time.After(closeTime):
	}
}

// Probe implements [transport.Link].
func (l *link) Probe(ctx context.Context, payload []byte) error {
	answer := make(chan error, 1)
	if err := l.publish(l.conn.from[0].topic, payload, answer); err != nil {
		return err
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Send implements [transport.Link]: it hands a message to the client's goroutine, which writes it.
func (l *link) Send(payload []byte) error { return l.publish(l.conn.to, payload, nil) }

func (l *link) publish(topic string, payload []byte, probe chan<- error) error {
	m := messages.Get().(*message)
	m.body, m.probe = append(m.body[:0], payload...), probe
	l.waiting.Add(1)
	err := l.producer.PublishAsync(topic, m.body, l.answers, m)
	if err != nil {
		l.answered()
	}
	return err
}

// answered notes that a message has its answer.
func (l *link) answered() {
	if l.waiting.Add(-1) == 0 && l.ending.Load() {
		select {
		case l.idle <- struct{}{}:
		default:
		}
	}
}

// report passes on the outcome of each message, until the link is closed.
func (l *link) report() {
	for answer := range l.answers {
		m := answer.Args[0].(*message)
		switch {
		case m.probe != nil:
			m.probe <- l.refused(answer.Error)
		case answer.Error == nil:
			l.conn.Acked(m.body)
		default:
			l.conn.Failed(m.body, l.refused(answer.Error))
		}
		l.answered()
		messages.Put(m)
	}
}

// refused returns why a message failed; nil if it did not. The client itself says of all messages only that
// it is not connected.
func (l *link) refused(err error) error {
	if cause := l.cause.Load(); cause != nil && errors.Is(err, nsq.ErrNotConnected) {
		return *cause
	}
	return err
}
