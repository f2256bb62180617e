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
		raw, socket, err := d.Open(ctx, addr)
		if err == nil {
			defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
			if c, err = shake(ctx, newPacketConn(socket, raw)); err != nil {
				_ = raw.Close()
			}
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", addr, target.Because(ctx, err))
		}
		return c, err
	})
}

// Open makes a socket to the host at an address, and does the handshake of TLS over it. raw is the same
// socket without TLS: closing that one does not wait.
func (d Dialer) Open(ctx context.Context, addr string) (raw, socket net.Conn, err error) {
	raw, err = new(net.Dialer).DialContext(ctx, "tcp", d.Target.At(addr))
	if err != nil {
		return nil, nil, err
	}
	if tcp, ok := raw.(*net.TCPConn); ok {
		_ = tcp.SetNoDelay(d.NoDelay)
	}
	if d.TLS == nil {
		return raw, raw, nil
	}
	if socket, err = d.TLS.Client(ctx, raw, addr); err != nil {
		_ = raw.Close()
		return nil, nil, fmt.Errorf("TLS handshake: %w", err)
	}
	return raw, socket, nil
}
