package management

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
)

const (
	dialTimeout  = 10 * time.Second // for one host
	closeTimeout = 2 * time.Second  // for the broker to confirm the close
)

// ErrBlocked means that the broker has raised an alarm, and reads nothing from publishers.
var ErrBlocked = errors.New("the broker takes no messages")

// A Socket is the socket under a connection of a client library. Closing it ends whatever hangs
// on the connection: the libraries take no contexts, or do not always look at them.
type Socket struct{ conn net.Conn }

// Dial connects to the first node that accepts, starting with the one for the connection's
// number, as [DialNode] does.
func Dial[C any](ctx context.Context, b *Broker, number int, open func(ctx context.Context, s Socket, conn net.Conn) (C, error)) (C, error) {
	return target.Reach(b.Addrs(), number, func(addr string) (C, error) { return DialNode(ctx, b, addr, open) })
}

// DialNode connects to a node. open does the handshake of the protocol over conn, which is
// encrypted if the scheme of the target says so.
func DialNode[C any](ctx context.Context, b *Broker, addr string, open func(ctx context.Context, s Socket, conn net.Conn) (C, error)) (c C, err error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", b.Target.At(addr))
	if err != nil {
		return c, err
	}
	s := Socket{conn}
	err = s.During(ctx, func() (err error) {
		if b.Encrypted() {
			if conn, err = b.Options.TLS.Client(ctx, conn, addr); err != nil {
				return err
			}
		}
		c, err = open(ctx, s, conn)
		return err
	})
	if err != nil {
		s.Cut()
		return c, fmt.Errorf("%s: %w", addr, err)
	}
	return c, nil
}

// During calls do, and cuts the connection if ctx ends before do returns.
func (s Socket) During(ctx context.Context, do func() error) error {
	defer context.AfterFunc(ctx, s.Cut)()
	err := do()
	if errors.Is(err, ErrBlocked) {
		return err
	}
	return target.Because(ctx, err)
}

// Cut closes the socket.
func (s Socket) Cut() { _ = s.conn.Close() }

// End calls the close of the client library, and cuts the connection if the broker does not
// confirm the close soon. Closing TLS would take up to 5 s.
func (s Socket) End(closeClient func() error) {
	late := time.AfterFunc(closeTimeout, s.Cut)
	defer late.Stop()
	_ = closeClient() // it fails only if it was closed already
	s.Cut()
}
