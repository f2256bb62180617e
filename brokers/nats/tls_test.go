package nats

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"

	"github.com/nats-io/nats-server/v2/server"
)

// certificate makes a certificate for 127.0.0.1 that vouches for itself, and a
// PEM file of it.
func certificate(t testing.TB) (pair tls.Certificate, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// serveTLS starts a server that wants TLS and u:richtig.
func serveTLS(t testing.TB, configure func(*server.Options)) (b *broker, ca string) {
	t.Helper()
	pair, ca := certificate(t)
	return serve(t, func(o *server.Options) {
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
		o.Username, o.Password = "u", "richtig"
		if configure != nil {
			configure(o)
		}
	}), ca
}

// secure returns a factory for b with the scheme.
func secure(t testing.TB, b *broker, scheme, user, options string) *Factory {
	t.Helper()
	return openURL(t, fmt.Sprintf("%s://%s127.0.0.1:%d%s", scheme, user, b.port, options))
}

func TestTLS(t *testing.T) {
	b, ca := serveTLS(t, nil)
	for _, scheme := range []string{"nats+tls", "tls"} {
		l := connect(t, secure(t, b, scheme, "u:richtig@", "?tls-ca="+ca), 0)
		for i, size := range []int{16, 1 << 10, 1 << 20} {
			l.roundTrip(t, brokertest.Payload(0, uint64(i), size))
		}
	}
	connect(t, secure(t, b, "tls", "u:richtig@", "?tls-insecure=true"), 1)
}

func TestTLSHandshakeFirst(t *testing.T) {
	b, ca := serveTLS(t, func(o *server.Options) { o.TLSHandshakeFirst = true })
	connect(t, secure(t, b, "tls", "u:richtig@", "?tls-handshake-first=true&tls-ca="+ca), 0).roundTrip(t, brokertest.Payload(0, 0, 16))
}

func TestTLSSaysWhy(t *testing.T) {
	plain := serve(t, nil)
	b, ca := serveTLS(t, nil)
	picky, pickyCA := serveTLS(t, func(o *server.Options) { o.TLSConfig.ClientAuth = tls.RequireAnyClientCert })
	tests := []struct {
		name string
		f    *Factory
		want []string
	}{
		{"unknown authority", secure(t, b, "tls", "u:richtig@", ""), []string{"unknown authority", "tls-ca"}},
		{"another name", secure(t, b, "tls", "u:richtig@", "?tls-server-name=other&tls-ca="+ca), []string{"other", "tls-server-name"}},
		{"wrong password", secure(t, b, "tls", "u:falsch@", "?tls-ca="+ca), []string{"Authorization Violation", "correct user and password"}},
		{"TLS not wanted", secure(t, plain, "tls", "", ""), []string{"secure connection not available", "use the scheme nats"}},
		{"TLS wanted", open(t, b, "u:richtig@", ""), []string{"use the scheme nats+tls"}},
		{"client certificate wanted", secure(t, picky, "tls", "u:richtig@", "?tls-ca="+pickyCA), []string{"tls-cert and tls-key"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantSays(t, newLink(t, tt.f, 0).setup(), append(tt.want, "127.0.0.1")...)
		})
	}
}

// TestReconnectOverTLS wants a connection whose write was cut off, after which
// TLS cannot go on, to be made anew.
func TestReconnectOverTLS(t *testing.T) {
	b, ca := serveTLS(t, nil)
	l := connect(t, secure(t, b, "tls", "u:richtig@", "?write-buffer=1&tls-ca="+ca), 0)
	l.wire.cut(l.wire.ctx)
	if err := l.Request(t.Context(), brokertest.Payload(0, 0, 16)); err != nil {
		t.Fatal(err) // its context is alive, so that it takes the cut back
	}
	<-l.replies
	l.wire.cut(l.wire.ctx)
	wantSays(t, l.Request(t.Context(), brokertest.Payload(0, 1, 16)), "server is away")
	until(t, "a request that is taken", func() bool { return l.Request(t.Context(), brokertest.Payload(0, 2, 100)) == nil })
	until(t, "its reply", func() bool { return len(l.replies) > 0 })
}
