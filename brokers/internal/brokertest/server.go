package brokertest

import (
	"io"
	"net"
	"sync"
	"testing"
)

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
