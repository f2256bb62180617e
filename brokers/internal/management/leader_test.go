package management

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/target"
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

// at returns a broker whose management API is at a URL.
func at(url string) *Broker {
	o := &Options{Management: url}
	target.NewOptions("test", func(set target.Options) { o.TLS.Define(set) })
	return &Broker{SchemeTLS: "amqps", Options: o}
}

// The first API reports the addresses of the others, because its node may be killed.
func TestLeadersAreAskedOfTheNodesThatRun(t *testing.T) {
	address := ""
	second := node(t, `{"type":"quorum","leader":"r2@h2","members":["r1@h1","r2@h2","r3@h3"],"online":["r2@h2","r3@h3"]}`, &address)
	address = second.URL
	first := node(t, `{"type":"quorum","leader":"r1@h1","members":["r1@h1","r2@h2","r3@h3"],"online":["r1@h1","r2@h2","r3@h3"]}`, &address)
	b := at(first.URL)
	for _, want := range []string{
		"queue q 127.0.0.1:5672 [h2:5673 r3@h3] 3/3 <nil>",
		"queue q h2:5673 [127.0.0.1:5672 r3@h3] 2/3 <nil>",
	} {
		said, err := b.Leadership(t.Context(), "amqp", "q")
		if got := fmt.Sprint(said.What, " ", said.Leader, " ", said.Followers, fmt.Sprintf(" %d/%d %v", said.InStep, said.Copies, err)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		first.Close()
	}
	second.Close()
	if _, err := b.Leadership(t.Context(), "amqp", "q"); err == nil {
		t.Error("a leader, although no node answers")
	}
}

func TestLeadershipFromMembers(t *testing.T) {
	c := cluster{listeners: []listener{{Node: "r@h", Protocol: "stream", IP: "10.0.0.1", Port: 5552}}}
	for _, tt := range []struct {
		members members
		want    string
	}{
		{members{Type: "classic", Node: "r@h"}, "queue q 10.0.0.1:5552 1/1 <nil>"},
		{members{Type: "stream", Leader: "r@h", Members: []string{"r@h"}, Online: []string{"r@h"}}, "stream q 10.0.0.1:5552 1/1 <nil>"},
		{members{Type: "quorum", Members: []string{"r@h"}}, "queue q  0/1 no node leads it"},
	} {
		said, err := c.leadership(tt.members, "stream", "q")
		if got := fmt.Sprintf("%s %s %d/%d %v", said.What, said.Leader, said.InStep, said.Copies, err); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
