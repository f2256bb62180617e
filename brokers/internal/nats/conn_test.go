package nats

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

func TestConformance(t *testing.T) {
	targets(t, func(t *testing.T, url string) { requestertest.Run(t, openURL(t, url)) })
}

func TestRoundTripWithoutTheFlusher(t *testing.T) {
	requestertest.Connect(t, open(t, serve(t, nil), "", "?write-buffer=1"), 0).RoundTrips(t)
}

func TestDescribe(t *testing.T) {
	d, err := open(t, serve(t, nil), "", "?name=me").Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Product != "NATS" || d.Version != server.VERSION || d.Client != "github.com/nats-io/nats.go@v"+nats.Version {
		t.Errorf("Describe = %+v", d)
	}
	brokertest.WantSettings(t, d.Settings, map[string]string{"name": "me", "write-buffer": "32768", "pending-limits": "none"})
}

func TestTheServerKnowsTheName(t *testing.T) {
	s := serve(t, nil)
	requestertest.Connect(t, open(t, s, "", "?name=me"), 0)
	known, err := s.Connz(&server.ConnzOptions{Subscriptions: true})
	if err != nil || len(known.Conns) != 1 || known.Conns[0].Name != "me" || len(known.Conns[0].Subs) != 1 {
		t.Errorf("the server knows %+v, %v", known.Conns, err)
	}
}

func TestTeardownLeavesNothing(t *testing.T) {
	s := serve(t, nil)
	own := s.NumSubscriptions()
	requestertest.TeardownLeavesNothing(t, open(t, s, "", ""), func(*requestertest.Link) bool {
		return s.NumSubscriptions() == own && s.NumClients() == 0
	})
}

func TestRequestOutsideOfSetupAndTeardown(t *testing.T) {
	brokertest.RequestNeedsSetup(t, open(t, serve(t, nil), "", ""))
}

func TestMessageTooLarge(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.MaxPayload = 1000 })
	l := requestertest.Connect(t, open(t, s, "", ""), 0)
	err := l.Request(t.Context(), requestertest.Payload(0, 0, 1001))
	brokertest.WantFault(t, err, "1001 B are more than the 1000 B of max_payload", "raise max_payload", fmt.Sprint(s.port))
	if !errors.Is(err, nats.ErrMaxPayload) {
		t.Error("the cause is not kept")
	}
	l.RoundTrips(t, 1000)
}

func TestSetupExplains(t *testing.T) {
	locked := serve(t, func(o *server.Options) { o.Username, o.Password = "u", "richtig" })
	token := serve(t, func(o *server.Options) { o.Authorization = "richtig" })
	mute := serve(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "u", Password: "stumm", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Deny: []string{"brokerbench.>"}},
		}}}
	})
	brokertest.SetupExplains(t, Open, map[string][]string{
		"refused":        {"nats://" + brokertest.Refusing(t), "127.0.0.1", "connection refused", "start the broker"},
		"no user":        {locked.url("", ""), "127.0.0.1", "Authorization Violation", "user:password@"},
		"wrong password": {locked.url("u:geheim@", ""), "u:xxxxx@127.0.0.1", "Authorization Violation", "correct user and password"},
		"wrong token":    {token.url("geheim@", ""), "127.0.0.1", "Authorization Violation", "or the token"},
		"no permission":  {mute.url("u:stumm@", ""), "127.0.0.1", "probing brokerbench.", "ermissions violation", "brokerbench.>"},
		"no NATS":        {"nats://" + brokertest.Greet(t, "HTTP/1.1 400 Bad Request\r\n\r\n"), "no NATS server"},
	})
	requestertest.Connect(t, open(t, token, "richtig@", ""), 0)
	requestertest.Connect(t, open(t, token, ":richtig@", ""), 0)
	requestertest.Connect(t, open(t, locked, "u:richtig@", ""), 0)
}

func TestDescribeExplains(t *testing.T) {
	brokertest.DescribeExplains(t, openURL(t, "nats://"+brokertest.Refusing(t)))
}

// TestReconnect stops the server and starts another on the same port.
func TestReconnect(t *testing.T) {
	s := serve(t, nil)
	var again *broker
	l := requestertest.Connect(t, open(t, s, "", ""), 0)
	brokertest.ComesBack(t, l, s.halt, func() { again = serve(t, func(o *server.Options) { o.Port = s.port }) },
		[]string{"disconnected: ", "reconnecting: ", "connection refused"}, []string{"reconnected to 127.0.0.1:"})
	l.End(t)
	requestertest.Until(t, "the subscription is gone", func() bool { return again.NumClients() == 0 })
}

// TestReconnectBuffer wants what was requested during an outage to arrive after
// it, if that was asked for.
func TestReconnectBuffer(t *testing.T) {
	s := serve(t, nil)
	l := requestertest.Connect(t, open(t, s, "", "?reconnect-buffer=100000"), 0)
	c := l.Requester.(*conn)
	s.halt()
	requestertest.Until(t, "disconnected", func() bool { return !c.wire.up.Load() && c.client.IsReconnecting() })
	l.Send(t, requestertest.Payload(0, 7, 100))
	serve(t, func(o *server.Options) { o.Port = s.port })
	l.Want(t, requestertest.Payload(0, 7, 100))
}

func TestWrongPasswordOverTLS(t *testing.T) {
	url := strings.Replace(brokertest.URL(t, "NATS_TLS"), ":s3cret@", ":geheim@", 1)
	brokertest.WantFault(t, requestertest.NewLink(t, openURL(t, url), 0).Begin(), "Authorization Violation", "correct user and password")
}
