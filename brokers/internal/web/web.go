// Package web measures an HTTP service that answers a POST with its body, through net/http:
//
//	http://host:8080/echo?connections=32
//	https://host/echo?http2=true&tls-ca=ca.pem
//	http:                                     a service in a child process
//
// It is the price of a direct call, to compare a broker's with. A connection of a run is a client with a pool: each
// request that has no answer yet has a TCP connection over HTTP/1.1, and a stream over HTTP/2. All streams are of one
// TCP connection, until the service permits no more. Messages that are due while the pool is used up wait in the
// engine, and that wait is a part of the response time.
package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/service"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// Schemes of the URLs.
const (
	scheme    = "http"
	schemeTLS = "https"
)

var (
	errStatus = errors.New("the service answered")
	errDenied = errors.New("the service refused")
	errLonger = errors.New("the answer is longer than the message")
	errHTTP2  = errors.New("no answer over HTTP/2")
)

var remedies = target.Remedies{
	{Err: errDenied, Remedy: "write user and password into the URL: http://USER:PASSWORD@HOST, or check them"},
	{Err: errStatus, Remedy: "name a path that answers a POST of that size with its body"},
	{Err: errLonger, Remedy: "name a path that answers a POST with its body"},
	{Err: service.ErrStart, Remedy: "name a service: http://host:port/path"},
	{Text: "malformed HTTP", Remedy: "does the service speak this version of HTTP? see the option http2"},
	{Text: "server gave HTTP response to HTTPS client", Remedy: "use http://"},
	{Text: "no application protocol", Remedy: "the service speaks HTTP/1.1: leave out http2=true"},
	{Err: errHTTP2, Remedy: "leave out http2=true unless the service speaks HTTP/2 without TLS, with prior knowledge"},
	{Err: transport.ErrNotBack, Remedy: "name a path that answers a POST with its body"},
}

// options are the options of a target, as its URL gives them.
type options struct {
	connections int
	http2       bool
	keepAlive   bool
	tls         target.TLS
}

func (o *options) define(set target.Options) {
	set.IntVar(&o.connections, "connections", 32, "requests of one connection of the run that may wait for their answers; over HTTP/1.1 each has a TCP connection")
	set.BoolVar(&o.http2, "http2", false, "HTTP/2, without TLS with prior knowledge; otherwise HTTP/1.1")
	set.BoolVar(&o.keepAlive, "keep-alive", true, "use a TCP connection for many requests")
	o.tls.Define(set)
}

// Options returns every option with its default and a line of documentation.
func Options(string) []requester.Setting {
	return target.NewOptions("http", new(options).define).Settings()
}

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target.Base

	options options
	service service.Child // the child process; not used if the target names a host
}

// New returns the factory for a target. It does not connect.
func New(t target.Target, run string) (f *Factory, err error) {
	f = new(Factory)
	o := &f.options
	f.Base, err = target.Form{
		Broker: "http", Schemes: []string{scheme, schemeTLS}, Remedy: remedies.For, Define: o.define,
		URL: target.Refuse(t.Scheme == schemeTLS && len(t.Hosts) == 0, "https needs the host of a service"),
		Check: func() error {
			return errors.Join(target.Between("connections", o.connections, 1, 10_000), o.tls.Check(t.Scheme == schemeTLS, schemeTLS))
		},
	}.Read(t, run)
	f.service.Init(scheme)
	return f, err
}

// A conn is a connection of a run: a client with its pool.
type conn struct {
	*transport.Outcomes
	leftover.Uses

	factory *Factory
	number  int
	client  *http.Client
	url     string
	queue   chan *message // that wait for a worker
	buffers sync.Pool     // of *message
	workers sync.WaitGroup
	ctx     context.Context // of the workers; nil before Setup
	cancel  context.CancelFunc
}

// A message is the body of a request. Its memory is used again when both the client, which may send it until it
// calls Close, and the worker are done with it.
type message struct {
	bytes.Reader

	conn  *conn
	body  []byte
	users atomic.Int32
}

// Close implements io.Closer.
func (m *message) Close() error {
	if m.users.Add(-1) == 0 {
		m.conn.buffers.Put(m)
	}
	return nil
}

// again returns the body once more, for a request that the service has refused unread.
func (m *message) again() (io.ReadCloser, error) {
	m.users.Add(1)
	return struct {
		io.Reader
		io.Closer
	}{bytes.NewReader(m.body), m}, nil
}

// New implements [requester.Factory].
func (f *Factory) New(number int, sink requester.Sink) (requester.Requester, error) {
	client, err := f.client()
	c := &conn{Outcomes: transport.NewOutcomes(sink, f.Explain), factory: f, number: number, client: client}
	c.queue = make(chan *message, f.options.connections)
	c.buffers.New = func() any { return &message{conn: c} }
	return c, f.Explain("reading the TLS files", err)
}

// client returns a client with its pool.
func (f *Factory) client() (*http.Client, error) {
	o := &f.options
	var protocols http.Protocols
	protocols.SetHTTP1(!o.http2)
	protocols.SetHTTP2(o.http2 && f.Target.Scheme == schemeTLS)
	protocols.SetUnencryptedHTTP2(o.http2 && f.Target.Scheme == scheme)
	t := &http.Transport{
		MaxIdleConnsPerHost: o.connections, DisableKeepAlives: !o.keepAlive, DisableCompression: true, Protocols: &protocols,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return (&net.Dialer{Timeout: transport.DialTimeout}).DialContext(ctx, network, f.Target.At(addr))
		},
	}
	var err error
	if f.Target.Scheme == schemeTLS {
		t.TLSClientConfig, err = o.tls.Config()
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // one message is one request
	return &http.Client{Transport: t, CheckRedirect: stay}, err
}

// at returns the URL for a connection.
func (f *Factory) at(number int) string {
	addr := f.service.Addr
	if len(f.Target.Hosts) > 0 {
		addrs := f.Target.Addrs(map[string]string{scheme: "80", schemeTLS: "443"}[f.Target.Scheme])
		addr = addrs[number%len(addrs)]
	}
	return (&url.URL{Scheme: f.Target.Scheme, Host: addr, Path: "/" + f.Target.Path}).String()
}

// Traits implements [requester.Requester].
func (c *conn) Traits() requester.Traits {
	return requester.Traits{InFlight: c.factory.options.connections}
}

// Setup implements [requester.Requester].
func (c *conn) Setup(ctx context.Context) error {
	f := c.factory
	if len(f.Target.Hosts) == 0 {
		if err := c.Use(&f.service.Shared, func() error { return f.service.Start(ctx) }); err != nil {
			return f.Explain("starting a service", err)
		}
	}
	c.url = f.at(c.number)
	mark := transport.NewMark()
	body, err := c.post(ctx, c.message(mark), new(bytes.Buffer))
	if err == nil && !bytes.Equal(body, mark) {
		err = transport.ErrNotBack
	}
	if err != nil {
		return f.Explain("probing", target.Because(ctx, err))
	}
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	for range f.options.connections {
		c.workers.Go(c.work)
	}
	return nil
}

// Request implements [requester.Requester]. There is room in the queue while the engine keeps to the limit in flight.
func (c *conn) Request(ctx context.Context, payload []byte) error {
	if c.ctx == nil {
		return c.Explain("sending", transport.ErrNotSetUp)
	}
	if c.ctx.Err() != nil {
		return c.Explain("sending", transport.ErrTornDown)
	}
	select {
	case c.queue <- c.message(payload):
		return nil
	case <-c.ctx.Done():
		return c.Explain("sending", transport.ErrTornDown)
	case <-ctx.Done():
		return c.Explain("sending", ctx.Err())
	}
}

// message returns a message with a copy of the payload, for one worker and one request.
func (c *conn) message(payload []byte) *message {
	m := c.buffers.Get().(*message)
	m.body = append(m.body[:0], payload...)
	m.Reset(m.body)
	m.users.Store(2)
	return m
}

// work sends messages, one after the other.
func (c *conn) work() {
	var answer bytes.Buffer
	for {
		select {
		case <-c.ctx.Done():
			return
		case m := <-c.queue:
			answer.Reset()
			if body, err := c.post(c.ctx, m, &answer); err != nil {
				c.Failed(m.body, err)
			} else {
				c.Deliver(body)
			}
			_ = m.Close()
		}
	}
}

// post sends a message, and returns the body of the answer, which is in the buffer. It gives up one use of the message.
func (c *conn) post(ctx context.Context, m *message, answer *bytes.Buffer) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, m)
	if err != nil {
		return nil, err
	}
	request.ContentLength, request.GetBody = int64(len(m.body)), m.again
	if t := c.factory.Target; t.User != "" {
		request.SetBasicAuth(t.User, t.Password)
	}
	response, err := c.client.Do(request)
	if err != nil {
		var wrapped *url.Error // it repeats the URL
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, c.unanswered(err)
	}
	defer response.Body.Close()
	size := int64(len(m.body))
	n, err := answer.ReadFrom(io.LimitReader(response.Body, size+1))
	switch {
	case err == nil && (response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden):
		err = fmt.Errorf("%w: %s", errDenied, response.Status)
	case err == nil && response.StatusCode/100 != 2:
		err = fmt.Errorf("%w %s", errStatus, response.Status)
	case err == nil && n > size:
		err = errLonger
	}
	return answer.Bytes(), err
}

// unanswered returns why a request has no answer. A service without HTTP/2 ends the TCP connection of the probe, which
// fails in another way each time: net/http may notice while it dials, writes or reads.
func (c *conn) unanswered(err error) error {
	var dial *net.OpError
	probing := c.ctx == nil && c.factory.options.http2 && c.factory.Target.Scheme == scheme
	if !probing || errors.As(err, &dial) && dial.Op == "dial" {
		return err
	}
	return fmt.Errorf("%w: %w", errHTTP2, err)
}

// Teardown implements [requester.Requester].
func (c *conn) Teardown(ctx context.Context) error {
	c.Mute()
	if c.cancel != nil {
		c.cancel()
		c.workers.Wait()
	}
	c.client.CloseIdleConnections()
	return c.Leave(ctx)
}

// Describe implements [requester.Describer].
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := f.Description("HTTP", "net/http", "")
	if len(f.Target.Hosts) == 0 {
		d.Product = "HTTP service of brokerbench"
		return d, nil
	}
	client, err := f.client()
	if err != nil {
		return d, f.Explain("reading the TLS files", err)
	}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, f.at(0), nil)
	if err != nil {
		return d, f.Explain("connecting", err)
	}
	response, err := client.Do(request)
	var refused *net.OpError
	if err != nil && !errors.As(err, &refused) {
		return d, nil // it answers POST only: Setup shows it
	}
	if err != nil {
		return d, f.Explain("connecting", target.Because(ctx, err))
	}
	d.Version = response.Header.Get("Server")
	return d, response.Body.Close()
}
