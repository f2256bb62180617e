package brokers_test

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/requester"
)

// Only clients that write to the socket in Request say when a message was on it.
func TestWhoWritesToTheSocket(t *testing.T) {
	for url, want := range map[string]bool{
		"nats://127.0.0.1:1":                            false,
		"nats://127.0.0.1:1?write-buffer=1":             true,
		"nats://127.0.0.1:1?stream=file&write-buffer=1": false,
		"redis://127.0.0.1:1":                           false,
		"redis://127.0.0.1:1?stream=read":               false,
		"amqp://127.0.0.1:1":                            true,
		"amqp://127.0.0.1:1?confirm=true":               true,
		"kafka://127.0.0.1:1":                           false,
		"mqtt://127.0.0.1:1":                            true,
		"mqtt://127.0.0.1:1?qos=1":                      false,
		"loopback:":                                     false,
	} {
		_, r := connection(t, url)
		if got := r.Traits().WritesToSocket; got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
}

// connection returns the factory of a target, and a connection that is not set up.
func connection(t *testing.T, url string) (requester.Factory, requester.Requester) {
	t.Helper()
	found, err := brokers.All().Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	f, err := found.Open("run")
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.New(0, requester.Replies(func([]byte) {}))
	if err != nil {
		t.Fatal(err)
	}
	return f, r
}
