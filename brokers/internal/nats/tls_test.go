package nats

import (
	"crypto/tls"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/nats-io/nats-server/v2/server"
)

// certificate returns a certificate for 127.0.0.1 that vouches for itself, and a
// PEM file of it.
func certificate(t testing.TB) (pair tls.Certificate, file string) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	file = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return s.TLS.Certificates[0], file
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

// secure returns the URL of b with the scheme.
func (b *broker) secure(scheme, user, options string) string {
	return strings.Replace(b.url(user, options), "nats", scheme, 1)
}

func TestTLS(t *testing.T) {
	b, ca := serveTLS(t, nil)
	for _, scheme := range []string{"nats+tls", "tls"} {
		requestertest.Connect(t, openURL(t, b.secure(scheme, "u:richtig@", "?tls-ca="+ca)), 0).RoundTrips(t)
	}
	requestertest.Connect(t, openURL(t, b.secure("tls", "u:richtig@", "?tls-insecure=true")), 1)
}

func TestTLSHandshakeFirst(t *testing.T) {
	b, ca := serveTLS(t, func(o *server.Options) { o.TLSHandshakeFirst = true })
	requestertest.Connect(t, openURL(t, b.secure("tls", "u:richtig@", "?tls-handshake-first=true&tls-ca="+ca)), 0).RoundTrips(t, 16)
}

func TestSetupExplainsTLS(t *testing.T) {
	plain := serve(t, nil)
	b, ca := serveTLS(t, nil)
	picky, pickyCA := serveTLS(t, func(o *server.Options) { o.TLSConfig.ClientAuth = tls.RequireAnyClientCert })
	brokertest.SetupExplains(t, Open, map[string][]string{
		"unknown authority":         {b.secure("tls", "u:richtig@", ""), "127.0.0.1", "unknown authority", "tls-ca"},
		"another name":              {b.secure("tls", "u:richtig@", "?tls-server-name=other&tls-ca="+ca), "127.0.0.1", "other", "tls-server-name"},
		"wrong password":            {b.secure("tls", "u:geheim@", "?tls-ca="+ca), "127.0.0.1", "Authorization Violation", "correct user and password"},
		"TLS not wanted":            {plain.secure("tls", "", ""), "127.0.0.1", "secure connection not available", "use the scheme nats"},
		"TLS wanted":                {b.url("u:richtig@", ""), "127.0.0.1", "use the scheme nats+tls"},
		"client certificate wanted": {picky.secure("tls", "u:richtig@", "?tls-ca="+pickyCA), "127.0.0.1", "tls-cert and tls-key"},
	})
}

// TestReconnectOverTLS wants a connection whose write was cut off, after which
// TLS cannot go on, to be made anew.
func TestReconnectOverTLS(t *testing.T) {
	b, ca := serveTLS(t, nil)
	l := requestertest.Connect(t, openURL(t, b.secure("tls", "u:richtig@", "?write-buffer=1&tls-ca="+ca)), 0)
	l.Requester.(*conn).wire.canceler.Cut()
	brokertest.WantError(t, l.Request(t.Context(), requestertest.Payload(0, 1, 16)), "server is away")
	l.GoesOn(t)
}

func TestAnExpiredCertificateIsExplained(t *testing.T) {
	pair, file, _ := brokertest.ExpiredCertificate(t)
	b := serve(t, func(o *server.Options) {
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	})
	brokertest.WantFault(t, requestertest.NewLink(t, openURL(t, b.secure("tls", "", "?tls-ca="+file)), 0).Begin(), brokertest.ExpiredSays...)
	requestertest.Connect(t, openURL(t, b.secure("tls", "", "?tls-insecure=true")), 1)
}
