package nsq

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nsqio/go-nsq"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
)

const (
	port      = "4150"
	closeTime = 2 * time.Second // for nsqd to confirm that a consumer ends
)

// A link is the sockets of a connection, from one disconnect to the next.
type link struct {
	transport.Work

	conn      *conn
	addr      string
	publisher *publisher // nil: none
	consumers []*nsq.Consumer
	ending    atomic.Bool
}

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
	l := &link{conn: c, addr: c.factory.Target.At(addr)}
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
		go func() { l.Close(cmp.Or(<-done, ctx.Err())) }() // within its ReadTimeout
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

// connect connects consumers and the publisher.
func (l *link) connect(config *nsq.Config) (err error) {
	for _, from := range l.conn.from {
		if err := l.consume(config, from); err != nil {
			return err
		}
	}
	if l.conn.to != "" {
		l.publisher, err = l.dial(config)
	}
	return err
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
		f.Lose(errors.New(cause))
	}
	return nil
}

// Cut implements [transport.Link]. A call of the client ends with its timeout.
func (l *link) Cut() {
	l.ending.Store(true)
	for _, c := range l.consumers {
		go c.Stop()
	}
	if l.publisher != nil {
		l.publisher.end()
	}
}

// Close implements [transport.Link].
func (l *link) Close(cause error) {
	l.ending.Store(true)
	l.Stop()
	for _, c := range l.consumers {
		l.Go(func() { end(c) })
	}
	if l.publisher != nil {
		l.publisher.close(cause)
	}
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
	if err := l.publisher.publish(l.conn.from[0].topic, payload, answer); err != nil {
		return err
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Send implements [transport.Link]: it hands a message to a goroutine, which writes it.
func (l *link) Send(payload []byte) error { return l.publisher.publish(l.conn.to, payload, nil) }
