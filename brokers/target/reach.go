package target

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
)

// Reach calls open with each address in turn, beginning with one that goes by the
// connection's number, until one answers.
func Reach[C any](addrs []string, number int, open func(addr string) (C, error)) (c C, err error) {
	var errs []error
	for i := range addrs {
		if c, err = open(addrs[(number+i)%len(addrs)]); err == nil {
			return c, nil
		}
		errs = append(errs, err)
	}
	return c, errors.Join(errs...)
}

// Client does the client's handshake of TLS on a socket to an address.
func (t *TLS) Client(ctx context.Context, socket net.Conn, addr string) (net.Conn, error) {
	config, err := t.Config()
	if err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(addr)
	config.ServerName = cmp.Or(config.ServerName, host)
	secured := tls.Client(socket, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	return secured, nil
}
