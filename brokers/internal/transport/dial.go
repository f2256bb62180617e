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
	Offer   []string    // the protocols to offer over TLS (ALPN); nil: none
	NoDelay bool        // set TCP_NODELAY
}

// Dial connects to the first host that accepts, beginning with the one for the connection's
// number, as [DialHost] does.
func Dial[C any](ctx context.Context, d Dialer, number int, shake func(context.Context, Socket, net.Conn) (C, error)) (C, error) {
	return target.Reach(d.Target.Addrs(d.Port), number, func(addr string) (C, error) { return DialHost(ctx, d, addr, shake) })
}

// DialHost connects to the host at an address. shake does the protocol's handshake over conn, which
// includes TLS; the socket is closed if shake fails or ctx ends meanwhile.
func DialHost[C any](ctx context.Context, d Dialer, addr string, shake func(context.Context, Socket, net.Conn) (C, error)) (c C, err error) {
	ctx, cancel := context.WithTimeout(ctx, DialTimeout)
	defer cancel()
	raw, conn, err := d.Open(ctx, addr)
	if err != nil {
		return c, fmt.Errorf("%s: %w", addr, target.Because(ctx, err))
	}
	s := Socket{raw}
	err = s.During(ctx, func() (err error) {
		c, err = shake(ctx, s, conn)
		return err
	})
	if err != nil {
		s.Cut()
		return c, fmt.Errorf("%s: %w", addr, err)
	}
	return c, nil
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
	if socket, err = d.TLS.Client(ctx, raw, addr, d.Offer...); err != nil {
		_ = raw.Close()
		return nil, nil, fmt.Errorf("TLS handshake: %w", err)
	}
	return raw, socket, nil
}
