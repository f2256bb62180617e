package management

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// node answers as the API of a node of a cluster of two does, whose other API is at other.
func node(t *testing.T, queue string, other *string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "queues") {
			_, _ = io.WriteString(w, queue)
			return
		}
		_, port, _ := strings.Cut(strings.TrimPrefix(*other, "http://"), ":")
		_, _ = io.WriteString(w, `{"listeners":[
			{"node":"r1@h1","protocol":"amqp","ip_address":"127.0.0.1","port":5672},{"node":"r2@h2","protocol":"amqp","ip_address":"::","port":5673},
			{"node":"r2@h2","protocol":"http","ip_address":"127.0.0.1","port":`+port+`}]}`)
	}))
	t.Cleanup(s.Close)
	return s
}

// The first API tells where the others are: it may be the one that is killed.
func TestLeadersAreAskedOfWhoIsLeft(t *testing.T) {
	address := ""
	second := node(t, `{"type":"quorum","leader":"r2@h2","members":["r1@h1","r2@h2","r3@h3"],"online":["r2@h2","r3@h3"]}`, &address)
	address = second.URL
	first := node(t, `{"type":"quorum","leader":"r1@h1","members":["r1@h1","r2@h2","r3@h3"],"online":["r1@h1","r2@h2","r3@h3"]}`, &address)
	var l Leaders
	for _, want := range []string{
		"queue q 127.0.0.1:5672 [h2:5673 r3@h3] 3/3 <nil>",
		"queue q h2:5673 [127.0.0.1:5672 r3@h3] 2/3 <nil>",
	} {
		said, err := l.Ask(t.Context(), API{Base: first.URL, Vhost: "/"}, "amqp", "q")
		if got := fmt.Sprint(said.What, " ", said.Leader, " ", said.Followers, fmt.Sprintf(" %d/%d %v", said.InStep, said.Copies, err)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		first.Close()
	}
	second.Close()
	if _, err := l.Ask(t.Context(), API{Base: first.URL, Vhost: "/"}, "amqp", "q"); err == nil {
		t.Error("nobody is left, and somebody leads")
	}
}

func TestWhoHasAQueue(t *testing.T) {
	var l Leaders
	l.learn([]Listener{{Node: "r@h", Protocol: "stream", IP: "10.0.0.1", Port: 5552}}, false)
	for _, c := range []struct {
		copies Copies
		want   string
	}{
		{Copies{Type: "classic", Node: "r@h"}, "queue q 10.0.0.1:5552 1/1 <nil>"},
		{Copies{Type: "stream", Leader: "r@h", Members: []string{"r@h"}, Online: []string{"r@h"}}, "stream q 10.0.0.1:5552 1/1 <nil>"},
		{Copies{Type: "quorum", Members: []string{"r@h"}}, "queue q  0/1 no node leads it"},
	} {
		said, err := l.leadership(c.copies, "stream", "q")
		if got := fmt.Sprintf("%s %s %d/%d %v", said.What, said.Leader, said.InStep, said.Copies, err); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
