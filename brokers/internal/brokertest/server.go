package brokertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// Main runs the tests of a package, or serves if args are the arguments of this process: then it is a child of a test.
func Main(m *testing.M, args []string, serve func(in io.Reader, out io.Writer) error) {
	if !slices.Equal(os.Args[1:], args) {
		os.Exit(m.Run()) //nolint:forbidigo // this is a main function
	}
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:forbidigo // this is a main function
	}
}

// Accept calls serve with each connection to the address that it returns, and
// closes them all at the end of the test.
func Accept(t testing.TB, serve func(net.Conn)) (address string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all []net.Conn
	var served sync.WaitGroup
	served.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			all = append(all, c)
			mu.Unlock()
			served.Go(func() { serve(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, c := range all {
			_ = c.Close()
		}
		mu.Unlock()
		served.Wait()
	})
	return l.Addr().String()
}

// Greet says greeting on each connection, and nothing more.
func Greet(t testing.TB, greeting string) (address string) {
	t.Helper()
	return Accept(t, func(c net.Conn) { _, _ = io.WriteString(c, greeting) })
}

// Refusing returns an address at which nothing listens.
func Refusing(t testing.TB) (address string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// ExpiredCertificate is [Certificate] for one that expired an hour ago.
func ExpiredCertificate(t testing.TB) (pair tls.Certificate, file, key string) {
	t.Helper()
	return certificate(t, time.Now().Add(-time.Hour))
}

// Certificate makes a certificate for 127.0.0.1 that vouches for itself. It returns it with PEM files of it and
// of its key.
func Certificate(t testing.TB) (pair tls.Certificate, file, key string) {
	t.Helper()
	return certificate(t, time.Now().Add(time.Hour))
}

func certificate(t testing.TB, until time.Time) (pair tls.Certificate, file, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: until.Add(-2 * time.Hour), NotAfter: until,
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
	file, key = filepath.Join(t.TempDir(), "certificate.pem"), filepath.Join(t.TempDir(), "certificate.key")
	for path, block := range map[string]*pem.Block{file: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}, file, key
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
