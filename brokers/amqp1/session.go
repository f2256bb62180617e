package amqp1

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/brokerbench/brokerbench/brokers/target"
)

const (
	dialTimeout  = 10 * time.Second // for one host
	closeTimeout = 2 * time.Second  // for a connection's end
	forever      = 1000 * time.Hour
)

var errHandshake = errors.New("shaking hands")

// A client is an AMQP connection and the socket under it. Closing the socket ends
// whatever hangs on the connection: go-amqp does not always look at contexts.
type client struct {
	*amqp.Conn
	socket net.Conn
	credit <-chan struct{} // closed when credit was granted for the first time
}

// dial connects to the first host that accepts, beginning with the one for the
// connection's number. name is the connection's name in the broker.
func (f *Factory) dial(ctx context.Context, number int, name string) (*client, error) {
	addrs := f.target.Addrs(map[string]string{scheme: "5672", schemeTLS: "5671"}[f.target.Scheme])
	return target.Reach(addrs, number, func(addr string) (*client, error) { return f.dialHost(ctx, addr, name) })
}

func (f *Factory) dialHost(ctx context.Context, addr, name string) (*client, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	socket, err := new(net.Dialer).DialContext(ctx, "tcp", f.target.At(addr))
	if err != nil {
		return nil, err
	}
	c := &client{socket: socket}
	if err := c.during(ctx, func() error { return f.open(ctx, c, addr, name) }); err != nil {
		c.cut()
		return nil, fmt.Errorf("%s: %w", addr, err)
	}
	return c, nil
}

// open does the handshakes of TLS and of AMQP.
func (f *Factory) open(ctx context.Context, c *client, addr, name string) (err error) {
	secured := c.socket
	if f.encrypted() {
		if secured, err = f.options.tls.Client(ctx, c.socket, addr); err != nil {
			return err
		}
	}
	w := &watched{Conn: secured, credit: make(chan struct{})}
	c.credit = w.credit
	if c.Conn, err = amqp.NewConn(ctx, w, f.config(name)); err != nil {
		return fmt.Errorf("%w: %w", errHandshake, err)
	}
	if version, _ := c.Properties()["version"].(string); tooOld(version) {
		c.close()
		return fmt.Errorf("%w: RabbitMQ %s", errTooOld, version)
	}
	return nil
}

// config returns the settings of a connection.
func (f *Factory) config(name string) *amqp.ConnOptions {
	user, password := f.target.User, f.target.Password
	if user == "" {
		user, password = "guest", "guest"
	}
	silence, write := f.options.idleTimeout, f.options.idleTimeout
	if silence == 0 {
		silence, write = -1, forever // without a limit go-amqp's keepalives fail
	}
	return &amqp.ConnOptions{
		ContainerID: name, HostName: "vhost:" + f.vhost(), SASLType: amqp.SASLTypePlain(user, password),
		MaxFrameSize: uint32(f.options.frameSize), IdleTimeout: silence, WriteTimeout: write,
		Properties: map[string]any{"connection_name": name, "product": "brokerbench"},
	}
}

// during calls do, and cuts the connection if ctx ends before do returns.
func (c *client) during(ctx context.Context, do func() error) error {
	stop := context.AfterFunc(ctx, c.cut)
	defer stop()
	err := do()
	if errors.Is(err, errBlocked) {
		return err
	}
	return target.Because(ctx, err)
}

// cut closes the socket.
func (c *client) cut() { _ = c.socket.Close() }

// close says farewell, and closes the connection. Its goroutines have ended then.
func (c *client) close() {
	late := time.AfterFunc(closeTimeout, c.cut)
	defer late.Stop()
	_ = c.Close() // it fails only if it was closed already
	c.cut()
}

// A watched is a socket that sees when the first flow frame, which grants credit, was written:
// go-amqp does not tell, and without credit for its answer a request to the management node
// ends the session.
type watched struct {
	net.Conn

	credit chan struct{}
	seen   bool // only Write uses it, and go-amqp writes from one goroutine
}

// Write implements net.Conn. go-amqp writes frame by frame: a header of 8 bytes, and a
// descriptor, which is 0x13 for flow.
func (w *watched) Write(b []byte) (int, error) {
	n, err := w.Conn.Write(b)
	if !w.seen && err == nil && len(b) > 10 && b[8] == 0 && b[9] == 0x53 && b[10] == 0x13 {
		w.seen = true
		close(w.credit)
	}
	return n, err
}
