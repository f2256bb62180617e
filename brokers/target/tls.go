package target

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"

	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
)

// TLS are the options of an encrypted connection. The zero value verifies the
// broker against the system's certificate authorities.
type TLS struct {
	ca, cert, key, serverName string
	insecure                  bool
}

// Define adds the TLS options to o.
func (t *TLS) Define(o Options) {
	o.StringVar(&t.ca, "tls-ca", "", "PEM file of the authorities to trust instead of the system's")
	o.StringVar(&t.cert, "tls-cert", "", "PEM file of the client's certificate; needs tls-key")
	o.StringVar(&t.key, "tls-key", "", "PEM file of the client's private key; needs tls-cert")
	o.StringVar(&t.serverName, "tls-server-name", "", "name to expect in the broker's certificate, if not the host's")
	o.BoolVar(&t.insecure, "tls-insecure", false, "do not verify the broker's certificate")
}

// Check returns an error if options are given for a target without encryption,
// which scheme would have, or if a file that they name cannot be read.
func (t *TLS) Check(encrypted bool, scheme string) error {
	_, err := t.Config()
	if !encrypted && *t != (TLS{}) {
		err = errors.Join(fmt.Errorf("options tls-*: they need the scheme %s", scheme), err)
	}
	return err
}

// Config reads the files and returns the configuration for crypto/tls.
func (t *TLS) Config() (*tls.Config, error) {
	config := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         t.serverName,
		InsecureSkipVerify: t.insecure, //nolint:gosec // the user asked for it by name
	}
	return config, errors.Join(t.addAuthorities(config), t.addCertificate(config))
}

// mostPEM is how long a file may be: the authorities of a system have 200 kB.
const mostPEM = 4 << 20

func (t *TLS) addAuthorities(config *tls.Config) error {
	if t.ca == "" {
		return nil
	}
	pem, err := safefile.Read(t.ca, mostPEM)
	if err != nil {
		return fmt.Errorf("option tls-ca: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return fmt.Errorf("option tls-ca: %s holds no PEM certificate", t.ca)
	}
	return nil
}

func (t *TLS) addCertificate(config *tls.Config) error {
	if t.cert == "" && t.key == "" {
		return nil
	}
	if t.cert == "" || t.key == "" {
		return errors.New("options tls-cert and tls-key: give both or neither")
	}
	cert, err1 := safefile.Read(t.cert, mostPEM)
	key, err2 := safefile.Read(t.key, mostPEM)
	pair, err := tls.X509KeyPair(cert, key)
	if err := cmp.Or(err1, err2, err); err != nil {
		return fmt.Errorf("options tls-cert and tls-key: %w", err)
	}
	config.Certificates = []tls.Certificate{pair}
	return nil
}

// Client does the client's handshake of TLS on a socket to an address. It offers the protocols, if there are any (ALPN).
func (t *TLS) Client(ctx context.Context, socket net.Conn, addr string, protocols ...string) (net.Conn, error) {
	config, err := t.Config()
	if err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(addr)
	config.ServerName, config.NextProtos = cmp.Or(config.ServerName, host), protocols
	secured := tls.Client(socket, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	return secured, nil
}
