package brokertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// ExpiredCertificate makes a certificate for 127.0.0.1 that vouches for itself, and
// that expired an hour ago. It returns it with PEM files of it and of its key.
func ExpiredCertificate(t testing.TB) (pair tls.Certificate, file, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	file, key = filepath.Join(t.TempDir(), "expired.pem"), filepath.Join(t.TempDir(), "expired.key")
	for path, block := range map[string]*pem.Block{file: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pair, err = tls.LoadX509KeyPair(file, key)
	if err != nil {
		t.Fatal(err)
	}
	return pair, file, key
}

// Expired returns the address of a server whose certificate has expired, and that
// says nothing besides, with a PEM file of the certificate.
func Expired(t testing.TB) (address, file string) {
	t.Helper()
	pair, file, _ := ExpiredCertificate(t)
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	return Accept(t, func(c net.Conn) { _ = tls.Server(c, config).HandshakeContext(t.Context()) }), file
}

// ExpiredSays is what an error about an expired certificate says.
var ExpiredSays = []string{"127.0.0.1", "certificate has expired", "renew the broker's certificate"}
