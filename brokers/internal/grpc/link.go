package grpc

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"math"
	"net"
	"sync"
	"sync/atomic"

	grpcgo "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/brokerbench/brokerbench/brokers/internal/grpc/form"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

var errAgain = errors.New("the service wants another connection")

// A link is a TCP connection, with a stream or with workers that make calls.
type link struct {
	transport.Work

	conn    *conn
	socket  transport.Socket
	channel *grpcgo.ClientConn
	ctx     context.Context // of the stream and the calls

	stream grpcgo.ClientStream // nil in mode unary
	out    []byte              // what is sent over it

	mu   sync.Mutex
	last transport.Stamp // of what was sent last
	open bool            // it has no answer, and has not failed

	calls   chan *[]byte // that wait for a worker
	buffers sync.Pool    // of *[]byte
	cause   error        // why the link was closed; set before ctx ends
}

// open connects to a service.
func (c *conn) open(ctx context.Context) (*link, error) {
	f := c.factory
	addrs := []string{f.service.Addr}
	if len(f.Target.Hosts) > 0 {
		addrs = f.Target.Addrs(form.Port)
	}
	d := transport.Dialer{Target: f.Target, NoDelay: true, Offer: []string{"h2"}}
	if f.Target.Scheme == form.SchemeTLS {
		d.TLS = &f.TLS
	}
	return target.Reach(addrs, c.number, func(addr string) (*link, error) {
		return transport.DialHost(ctx, d, addr, func(ctx context.Context, s transport.Socket, socket net.Conn) (*link, error) {
			return c.connect(ctx, addr, s, socket)
		})
	})
}

// connect begins to use a socket.
func (c *conn) connect(ctx context.Context, addr string, s transport.Socket, socket net.Conn) (l *link, err error) {
	l = &link{conn: c, socket: s, calls: make(chan *[]byte, c.factory.Calls)}
	l.buffers.New = func() any { return new([]byte) }
	l.ctx = c.authorize(l.Begin(ctx))
	l.channel, err = grpcgo.NewClient("passthrough:///"+addr,
		grpcgo.WithContextDialer(l.once(socket)),
		grpcgo.WithTransportCredentials(credentialsOf(c.factory.Target.Scheme)),
		grpcgo.WithDefaultCallOptions(grpcgo.ForceCodecV2(codec{}), grpcgo.MaxCallRecvMsgSize(math.MaxInt32)),
		grpcgo.WithDisableRetry(), grpcgo.WithDisableServiceConfig(), grpcgo.WithIdleTimeout(0))
	if err != nil {
		return nil, err
	}
	if err = l.begin(); err != nil {
		l.Close(err)
		return nil, err
	}
	return l, nil
}

// begin opens the stream, or makes an empty call: both return when the service answers, or with the reason why it does not.
func (l *link) begin() (err error) {
	if cap(l.calls) == 0 {
		if l.stream, err = l.channel.NewStream(l.ctx, &description().Streams[0], form.Stream); err == nil {
			l.Go(l.receive)
		}
		return err
	}
	if _, err = l.call(nil); err == nil {
		for range cap(l.calls) {
			l.Go(l.work)
		}
	}
	return err
}

// call makes a call and returns its reply.
func (l *link) call(message []byte) (reply []byte, err error) {
	err = l.channel.Invoke(l.ctx, form.Call, &message, &reply)
	return reply, err
}

// once returns a dialer that hands out the socket. The channel asks again when it has lost it: then the link is lost.
func (l *link) once(socket net.Conn) func(context.Context, string) (net.Conn, error) {
	var used atomic.Bool
	return func(context.Context, string) (net.Conn, error) {
		if used.Swap(true) {
			l.Lose(errAgain)
			return nil, errAgain
		}
		return noticing{socket, l.Lose}, nil
	}
}

// noticing is a socket that passes on why it cannot be read any longer: a channel without calls does not say so.
type noticing struct {
	net.Conn

	lost func(error)
}

// Read implements net.Conn.
func (n noticing) Read(b []byte) (int, error) {
	read, err := n.Conn.Read(b)
	if err != nil {
		n.lost(err)
	}
	return read, err
}

// secured are the credentials of a socket that is encrypted already.
type secured struct {
	credentials.TransportCredentials
}

// Info implements [credentials.TransportCredentials]: the scheme of requests is https.
func (secured) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "tls"}
}

// Clone implements [credentials.TransportCredentials].
func (s secured) Clone() credentials.TransportCredentials { return s }

func credentialsOf(scheme string) credentials.TransportCredentials {
	if scheme == form.SchemeTLS {
		return secured{insecure.NewCredentials()}
	}
	return insecure.NewCredentials()
}

// authorize adds the user and password of the target to the requests with a context.
func (c *conn) authorize(ctx context.Context) context.Context {
	t := c.factory.Target
	if t.User == "" {
		return ctx
	}
	basic := base64.StdEncoding.EncodeToString([]byte(t.User + ":" + t.Password))
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Basic "+basic)
}

// receive passes on what comes over the stream.
func (l *link) receive() {
	var message []byte
	for {
		if err := l.stream.RecvMsg(&message); err != nil {
			if errors.Is(err, io.EOF) {
				err = form.ErrEnded
			}
			l.refused(err)
			l.Lose(err)
			return
		}
		l.settle(message)
		l.conn.Deliver(message)
	}
}

// refused makes the last message fail if the service has ended the stream because of a message that is too large: it
// is that message, or one behind it, and will have no answer.
func (l *link) refused(err error) {
	if status.Code(err) != codes.ResourceExhausted {
		return
	}
	if last, open := l.settle(nil); open {
		l.conn.Failed(last[:], err)
	}
}

// settle notes that a message has its outcome; nil is the last that was sent. It returns the head of that. open is
// false if it had an outcome before, or is not the last.
func (l *link) settle(message []byte) (last transport.Stamp, open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open || message != nil && !bytes.HasPrefix(message, l.last[:]) {
		return l.last, false
	}
	l.open = false
	return l.last, true
}

// send sends a message over the stream.
func (l *link) send(payload []byte) error {
	if len(payload) >= requester.StampSize {
		l.mu.Lock()
		l.last, l.open = transport.Stamp(payload), true
		l.mu.Unlock()
	}
	l.out = payload
	err := l.stream.SendMsg(&l.out)
	if err == nil || len(payload) < requester.StampSize {
		return err
	}
	if _, open := l.settle(nil); !open {
		return nil // refused has reported it
	}
	if errors.Is(err, io.EOF) {
		err = form.ErrEnded
	}
	return err
}

// work makes calls, one after the other.
func (l *link) work() {
	var reply []byte
	for {
		select {
		case <-l.ctx.Done():
			return
		case message := <-l.calls:
			if err := l.channel.Invoke(l.ctx, form.Call, message, &reply); err != nil {
				l.conn.Failed(*message, err)
			} else {
				l.conn.Deliver(reply)
			}
			l.buffers.Put(message)
		}
	}
}

// Send implements [transport.Link]. There is room for calls while the engine keeps to the limit in flight.
func (l *link) Send(payload []byte) error {
	if l.stream != nil {
		return l.send(payload)
	}
	message := l.buffers.Get().(*[]byte)
	*message = append((*message)[:0], payload...)
	select {
	case l.calls <- message:
		if l.ctx.Err() != nil { // Close may have looked before
			l.drain()
		}
		return nil
	case <-l.ctx.Done():
		return transport.ErrTornDown
	}
}

// Probe implements [transport.Link].
func (l *link) Probe(ctx context.Context, message []byte) error {
	if l.stream != nil {
		if err := l.Send(message); !errors.Is(err, io.EOF) {
			return err
		}
		return nil // the stream has ended, and receive reports why
	}
	reply, err := l.call(message)
	if err == nil && string(reply) != string(message) {
		return transport.ErrNotBack
	}
	if err == nil {
		l.conn.Deliver(reply)
	}
	return target.Because(ctx, err)
}

// Cut implements [transport.Link].
func (l *link) Cut() { l.socket.Cut() }

// Close implements [transport.Link].
func (l *link) Close(cause error) {
	l.cause = cause
	l.Stop()
	l.socket.End(l.channel.Close)
	l.Wait()
	l.drain()
}

// drain has the calls fail that wait for a worker.
func (l *link) drain() {
	for {
		select {
		case message := <-l.calls:
			l.conn.Failed(*message, l.cause)
		default:
			return
		}
	}
}
