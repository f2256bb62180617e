package transport

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
)

// DialTimeout bounds one attempt to connect to one host.
const DialTimeout = 10 * time.Second

// A Dialer connects to the hosts of a target.
type Dialer struct {
	Target  target.Target
	Port    string      // of a host without one
	TLS     *target.TLS // nil: not encrypted
	NoDelay bool        // set TCP_NODELAY
}

// Dial connects to the first host that accepts, beginning with the one for the connection's
// number. shake does the protocol's handshake over the socket, which is closed if shake fails
// or ctx ends meanwhile.
func Dial[C any](ctx context.Context, d Dialer, number int, shake func(context.Context, *PacketConn) (C, error)) (C, error) {
	return target.Reach(d.Target.Addrs(d.Port), number, func(addr string) (c C, err error) {
		ctx, cancel := context.WithTimeout(ctx, DialTimeout)
		defer cancel()
		raw, err := new(net.Dialer).DialContext(ctx, "tcp", d.Target.At(addr))
		if err != nil {
			return c, err
		}
		defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
		socket, err := d.secure(ctx, raw, addr)
		if err == nil {
			c, err = shake(ctx, newPacketConn(socket, raw))
		}
		if err != nil {
			_ = raw.Close()
			err = fmt.Errorf("%s: %w", addr, target.Because(ctx, err))
		}
		return c, err
	})
}

// secure sets the socket's options, and does the handshake of TLS.
func (d Dialer) secure(ctx context.Context, raw net.Conn, addr string) (net.Conn, error) {
	if tcp, ok := raw.(*net.TCPConn); ok {
		_ = tcp.SetNoDelay(d.NoDelay)
	}
	if d.TLS == nil {
		return raw, nil
	}
	return d.TLS.Client(ctx, raw, addr)
}
