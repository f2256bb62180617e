//go:build linux

package faults

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An authority is one that no broker's certificate comes from. It has signed one
// certificate, which has expired.
type authority struct {
	ca        string // files in PEM
	cert, key string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "another authority"}, NotBefore: now.Add(-48 * time.Hour),
		NotAfter: now.Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "localhost"}, NotBefore: now.Add(-48 * time.Hour),
		NotAfter: now.Add(-24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	dir := t.TempDir()
	write := func(name, kind string, der []byte, err error) string {
		path := filepath.Join(dir, name)
		if err == nil {
			err = os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	sign := func(c *x509.Certificate) ([]byte, error) {
		return x509.CreateCertificate(rand.Reader, c, ca, &key.PublicKey, key)
	}
	authorityDER, errCA := sign(ca)
	leafDER, errLeaf := sign(leaf)
	keyDER, errKey := x509.MarshalPKCS8PrivateKey(key)
	return &authority{
		ca: write("ca.pem", "CERTIFICATE", authorityDER, errCA), cert: write("cert.pem", "CERTIFICATE", leafDER, errLeaf),
		key: write("key.pem", "PRIVATE KEY", keyDER, errKey),
	}
}

// front listens with the expired certificate, in front of a broker without TLS.
func (a *authority) front(t *testing.T, backend string) (address string) {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(a.cert, a.key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go forward(c, backend)
		}
	}()
	return l.Addr().String()
}

func forward(c net.Conn, backend string) {
	defer c.Close()
	server, err := net.Dial("tcp", backend)
	if err != nil {
		return
	}
	defer server.Close()
	go func() { _, _ = io.Copy(c, server) }()
	_, _ = io.Copy(server, c)
}
