package amqp1

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
)

const (
	closeTimeout = 2 * time.Second // for the broker to detach a link
	forever      = 1000 * time.Hour
)

var (
	errHandshake = errors.New("shaking hands")
	errTooOld    = errors.New("it speaks an older AMQP 1.0")
	errOther     = errors.New("it is not RabbitMQ")
)

// A client is an AMQP connection and the socket under it.
type client struct {
	*amqp.Conn
	transport.Socket

	credit <-chan struct{} // closed when credit was granted for the first time
}

// dial connects to the first host that accepts, beginning with the one for the
// connection's number. name is the connection's name in the broker.
func (f *Factory) dial(ctx context.Context, number int, name string) (*client, error) {
	return transport.Dial(ctx, f.broker.Dialer(), number, func(ctx context.Context, s transport.Socket, conn net.Conn) (*client, error) {
		w := &creditWatcher{Conn: conn, credit: make(chan struct{})}
		client := &client{Socket: s, credit: w.credit}
		var err error
		if client.Conn, err = amqp.NewConn(ctx, w, f.config(name)); err != nil {
			return nil, fmt.Errorf("%w: %w", errHandshake, err)
		}
		if err := f.suits(client); err != nil {
			client.close()
			return nil, err
		}
		return client, nil
	})
}

// suits returns an error if the broker is not RabbitMQ, although the target names no address of its
// queues, or an old RabbitMQ. RabbitMQ's name for itself is its product.
func (f *Factory) suits(c *client) error {
	product, version := c.product()
	switch {
	case f.options.address != "":
		return nil
	case product != "RabbitMQ":
		return fmt.Errorf("%w: %s", errOther, strings.TrimSpace(product+" "+version))
	case tooOld(version):
		return fmt.Errorf("%w: RabbitMQ %s", errTooOld, version)
	}
	return nil
}

// product returns the product and the version that the broker's open frame has, or "a broker
// without a name".
func (c *client) product() (product, version string) {
	product, _ = c.Properties()["product"].(string)
	version, _ = c.Properties()["version"].(string)
	return cmp.Or(product, "a broker without a name"), version
}

// tooOld reports whether a broker of that version is a RabbitMQ that has AMQP 1.0 in a plugin,
// with other addresses and without a management node.
func tooOld(version string) bool {
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n < 4
}

// config returns the settings of a connection.
func (f *Factory) config(name string) *amqp.ConnOptions {
	silence, write := f.options.idleTimeout, f.options.idleTimeout
	if silence == 0 {
		silence, write = -1, forever // without a limit go-amqp's keepalives fail
	}
	return &amqp.ConnOptions{
		ContainerID: name, HostName: f.hostName(), SASLType: f.sasl(),
		MaxFrameSize: uint32(f.options.FrameSize), IdleTimeout: silence, WriteTimeout: write,
		Properties: map[string]any{"connection_name": name, "product": "brokerbench"},
	}
}

// close closes the connection. Its goroutines have ended then.
func (c *client) close() { c.End(c.Close) }

// A creditWatcher sees when the first flow frame, which grants credit, was written: go-amqp
// does not report it, and a request to the management node ends the session if there is no credit
// for its answer.
type creditWatcher struct {
	net.Conn

	credit chan struct{}
	seen   bool // only Write uses it, and go-amqp writes from one goroutine
}

// Write implements net.Conn. go-amqp writes frame by frame: a header of 8 bytes, and a
// descriptor, which is 0x13 for flow.
func (w *creditWatcher) Write(b []byte) (int, error) {
	n, err := w.Conn.Write(b)
	if !w.seen && err == nil && len(b) > 10 && b[8] == 0 && b[9] == 0x53 && b[10] == 0x13 {
		w.seen = true
		close(w.credit)
	}
	return n, err
}
