package relay_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

// TestMain lets this test binary be the relays.
func TestMain(m *testing.M) {
	isChild, err := relay.ServeProcess(os.Args[1:], os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if !isChild {
		m.Run()
	}
}

func TestProcess(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c) }()
		}
	}()
	r, err := relay.StartProcess([]relay.Options{{Backend: l.Addr().String()}, {Backend: "127.0.0.1:1"}})
	if err != nil || len(r.Addresses) != 2 {
		t.Fatal(r, err)
	}
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", r.Addresses[0])
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	said := bufio.NewReader(c)
	say := func(patience time.Duration) (string, error) {
		if _, err := fmt.Fprintln(c, "hello"); err != nil {
			t.Fatal(err)
		}
		_ = c.SetReadDeadline(time.Now().Add(patience))
		return said.ReadString('\n')
	}
	if text, err := say(30 * time.Second); text != "hello\n" {
		t.Fatalf("heard %q, %v", text, err)
	}
	if n, err := r.Set(0, relay.State{Mute: true}); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if text, err := say(50 * time.Millisecond); !os.IsTimeout(err) {
		t.Errorf("heard %q, %v", text, err)
	}
	if n, err := r.Set(0, relay.State{}); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if text, err := say(30 * time.Second); text != "hello\n" {
		t.Errorf("heard %q, %v", text, err)
	}
	if _, err := r.Set(2, relay.State{}); err == nil {
		t.Error("there is a third relay")
	}
	if err := r.Stop(); err != nil { // although connections are open
		t.Error(err)
	}
}
