package redis

import (
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/linetest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/redis/go-redis/v9"
)

// connected returns how many connections the server has, but for the one that asks.
func connected(t testing.TB, f *Factory) (n int64) {
	t.Helper()
	err := f.with(t.Context(), "asking", func(client *redis.Client) error {
		list, err := client.ClientList(t.Context()).Result()
		for _, c := range list {
			if c == '\n' {
				n++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n - 1
}

// A relay that half-closes keeps its connection to the server for as long as ours to
// it is open: ours ends with the outage, and with Teardown.
func TestAHalfCloseLeavesNoConnection(t *testing.T) {
	b := serve(t)
	direct := openURL(t, b.url("", ""))
	p := linetest.Relay(t, relay.Options{Backend: "127.0.0.1:" + b.port})
	f := openURL(t, "redis://"+p.Addr())
	links := requestertest.ConnectionsDoNotCross(t, f, 2)
	requestertest.Until(t, "two sockets a connection", func() bool { return connected(t, direct) == 4 })
	p.HalfClose()
	for _, l := range links {
		l.WantEvents(t, "publisher disconnected", "subscriber disconnected", "publisher reconnected", "subscriber reconnected")
		l.GoesOn(t)
	}
	requestertest.Until(t, "two sockets a connection again", func() bool { return connected(t, direct) == 4 })
	p.HalfClose()
	for _, l := range links {
		l.End(t)
	}
	requestertest.Until(t, "no socket", func() bool { return connected(t, direct) == 0 })
}
