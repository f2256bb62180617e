package redis

import (
	"net"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// The server says that it is full, and closes the connection before the client has
// sent its first command.
func TestAFullServerIsNamed(t *testing.T) {
	b := serve(t, "--maxclients", "2")
	first := requestertest.Connect(t, openURL(t, b.url("", "")), 0)
	for range 30 {
		err := requestertest.NewLink(t, openURL(t, b.url("", "")), 1).Begin()
		brokertest.WantFault(t, err, "max number of clients reached", "raise the server's maxclients")
		if t.Failed() {
			t.Fatal(err)
		}
	}
	first.RoundTrips(t, 100)
}

// Over TLS it closes the connection without a word.
func TestAFullServerIsSuspectedOverTLS(t *testing.T) {
	url, ca := serveTLS(t, "--maxclients", "2")
	requestertest.Connect(t, openURL(t, url+"?tls-insecure=true"), 0)
	err := requestertest.NewLink(t, openURL(t, url+"?tls-ca="+ca), 1).Begin()
	brokertest.WantFault(t, err, "TLS handshake", "is it below its maxclients")
}

func TestAnExpiredCertificateIsExplained(t *testing.T) {
	url, ca := serveTLS(t)
	brokertest.WantFault(t, requestertest.NewLink(t, openURL(t, url+"?tls-ca="+ca), 0).Begin(), brokertest.ExpiredSays...)
	requestertest.Connect(t, openURL(t, url+"?tls-insecure=true"), 1)
}

// serveTLS starts a server whose certificate has expired, and returns its URL with a
// file of the certificate.
func serveTLS(t testing.TB, args ...string) (url, ca string) {
	t.Helper()
	_, ca, key := brokertest.ExpiredCertificate(t)
	_, port, _ := net.SplitHostPort(brokertest.Refusing(t))
	serve(t, append([]string{"--tls-port", port, "--tls-cert-file", ca, "--tls-key-file", key, "--tls-ca-cert-file", ca, "--tls-auth-clients", "no"}, args...)...)
	return "rediss://127.0.0.1:" + port, ca
}
