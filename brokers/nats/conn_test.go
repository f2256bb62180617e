package nats

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/target"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// targets runs f against the server of this process, and against the real ones
// that are given.
func targets(t *testing.T, f func(t *testing.T, url string)) {
	t.Run("library", func(t *testing.T) { f(t, serve(t, nil).ClientURL()) })
	t.Run("given", func(t *testing.T) { f(t, brokertest.URL(t, "NATS")) })
	t.Run("given TLS", func(t *testing.T) { f(t, brokertest.URL(t, "NATS_TLS")) })
}

func TestRoundTrip(t *testing.T) {
	targets(t, func(t *testing.T, url string) {
		l := connect(t, openURL(t, url), 0)
		for i, size := range []int{16, 1 << 10, 1 << 20} {
			l.roundTrip(t, brokertest.Payload(0, uint64(i), size))
		}
	})
}

func TestRoundTripThroughTheFlusher(t *testing.T) {
	l := connect(t, open(t, serve(t, nil), "", "?write-buffer=1"), 0)
	for i, size := range []int{16, 1 << 10, 1 << 20} {
		l.roundTrip(t, brokertest.Payload(0, uint64(i), size))
	}
}

func TestConnectionsDoNotCross(t *testing.T) {
	f := open(t, serve(t, nil), "", "")
	var links []*link
	for number := range 20 {
		links = append(links, connect(t, f, number))
	}
	for round := range uint64(20) {
		for number, l := range links {
			l.roundTrip(t, brokertest.Payload(uint32(number), round, 100))
		}
	}
	for number, l := range links {
		if len(l.replies) > 0 {
			t.Errorf("connection %d has %d replies too many", number, len(l.replies))
		}
	}
}

func TestDescribe(t *testing.T) {
	d, err := open(t, serve(t, nil), "", "?name=me").Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Product != "NATS" || d.Version != server.VERSION || d.Client != "github.com/nats-io/nats.go@v"+nats.Version {
		t.Errorf("Describe = %+v", d)
	}
	values := map[string]string{}
	for _, s := range d.Settings {
		values[s.Name] = s.Value
	}
	if values["name"] != "me" || values["write-buffer"] != "32768" || values["pending-limits"] != "none" {
		t.Errorf("settings %v", values)
	}
}

func TestTheServerKnowsTheName(t *testing.T) {
	s := serve(t, nil)
	connect(t, open(t, s, "", "?name=me"), 0)
	known, err := s.Connz(&server.ConnzOptions{Subscriptions: true})
	if err != nil || len(known.Conns) != 1 || known.Conns[0].Name != "me" || len(known.Conns[0].Subs) != 1 {
		t.Errorf("the server knows %+v, %v", known.Conns, err)
	}
}

func TestTeardownLeavesNothing(t *testing.T) {
	s := serve(t, nil)
	before := runtime.NumGoroutine()
	own := s.NumSubscriptions()
	f := open(t, s, "", "")
	for number := range 5 {
		l := connect(t, f, number)
		l.roundTrip(t, brokertest.Payload(0, 1, 64))
		l.end(t)
		if l.texts() != "" {
			t.Errorf("an orderly end is told as %s", l.texts())
		}
	}
	until(t, "no subscription of ours", func() bool { return s.NumSubscriptions() == own && s.NumClients() == 0 })
	until(t, "no goroutine of ours", func() bool { return runtime.NumGoroutine() <= before })
}

func TestRequestOutsideOfSetupAndTeardown(t *testing.T) {
	l := newLink(t, open(t, serve(t, nil), "", ""), 0)
	if err := l.Request(t.Context(), brokertest.Payload(0, 0, 16)); !errors.Is(err, errNotSetUp) {
		t.Errorf("before Setup: %v", err)
	}
	if err := l.setup(); err != nil {
		t.Fatal(err)
	}
	l.end(t)
	if err := l.Request(t.Context(), brokertest.Payload(0, 0, 16)); err == nil {
		t.Error("after Teardown: no error")
	}
}

func TestMessageTooLarge(t *testing.T) {
	s := serve(t, func(o *server.Options) { o.MaxPayload = 1000 })
	l := connect(t, open(t, s, "", ""), 0)
	err := l.Request(t.Context(), brokertest.Payload(0, 0, 1001))
	wantSays(t, err, "1001 B are more than the 1000 B of max_payload", "raise max_payload", fmt.Sprint(s.port))
	if !errors.Is(err, nats.ErrMaxPayload) {
		t.Error("the cause is not kept")
	}
	l.roundTrip(t, brokertest.Payload(0, 1, 1000))
}

func TestSetupSaysWhy(t *testing.T) {
	free := serve(t, nil)
	free.halt()
	locked := serve(t, func(o *server.Options) { o.Username, o.Password = "u", "richtig" })
	token := serve(t, func(o *server.Options) { o.Authorization = "geheim" })
	mute := serve(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "u", Password: "stumm", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Deny: []string{"brokerbench.>"}},
		}}}
	})
	tests := []struct {
		name string
		f    *Factory
		want []string
	}{
		{"refused", open(t, free, "", ""), []string{"connection refused", "start the broker"}},
		{"no user", open(t, locked, "", ""), []string{"Authorization Violation", "user:password@"}},
		{"wrong password", open(t, locked, "u:falsch@", ""), []string{"u:xxxxx@", "Authorization Violation", "correct user and password"}},
		{"wrong token", open(t, token, "falsch@", ""), []string{"Authorization Violation", "or the token"}},
		{"no permission", open(t, mute, "u:stumm@", ""), []string{"probing brokerbench.", "ermissions violation", "brokerbench.>"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := newLink(t, tt.f, 0).setup()
			wantSays(t, err, append(tt.want, "127.0.0.1")...)
			if strings.Contains(err.Error(), "falsch") {
				t.Errorf("the error tells the secret: %v", err)
			}
			var fault *target.Fault
			if !errors.As(err, &fault) {
				t.Errorf("%T is no Fault", err)
			}
		})
	}
	connect(t, open(t, token, "geheim@", ""), 0)
	connect(t, open(t, token, ":geheim@", ""), 0)
	connect(t, open(t, locked, "u:richtig@", ""), 0)
}

func TestDescribeSaysWhy(t *testing.T) {
	s := serve(t, nil)
	s.halt()
	_, err := open(t, s, "", "").Describe(t.Context())
	wantSays(t, err, "connection refused", "start the broker")
}

// TestReconnect stops the server and starts another on the same port.
func TestReconnect(t *testing.T) {
	s := serve(t, nil)
	l := connect(t, open(t, s, "", ""), 0)
	l.roundTrip(t, brokertest.Payload(0, 0, 100))
	s.halt()
	until(t, "an error while the server is away", func() bool {
		err := l.Request(t.Context(), brokertest.Payload(0, 1, 100))
		return err != nil && strings.Contains(err.Error(), "server is away")
	})
	until(t, "an attempt", func() bool { return strings.Contains(l.texts(), "reconnecting: ") })
	again := serve(t, func(o *server.Options) { o.Port = s.port })
	until(t, "a request that is taken", func() bool { return l.Request(t.Context(), brokertest.Payload(0, 2, 100)) == nil })
	until(t, "a reply", func() bool { return len(l.replies) > 0 })
	until(t, "three events", func() bool { return len(l.Events()) >= 3 })
	for _, want := range []string{"disconnected: ", "reconnecting: ", "connection refused", "reconnected to 127.0.0.1:"} {
		if !strings.Contains(l.texts(), want) {
			t.Errorf("events %q; want %q among them", l.texts(), want)
		}
	}
	l.end(t)
	until(t, "the subscription is gone", func() bool { return again.NumClients() == 0 })
}

// TestReconnectBuffer wants what was requested during an outage to arrive after
// it, if that was asked for.
func TestReconnectBuffer(t *testing.T) {
	s := serve(t, nil)
	l := connect(t, open(t, s, "", "?reconnect-buffer=100000"), 0)
	s.halt()
	until(t, "disconnected", func() bool { return !l.wire.up.Load() && l.client.IsReconnecting() })
	if err := l.Request(t.Context(), brokertest.Payload(0, 7, 100)); err != nil {
		t.Fatal(err)
	}
	serve(t, func(o *server.Options) { o.Port = s.port })
	until(t, "the reply", func() bool { return len(l.replies) == 1 })
}

// TestSetupHonoursContext points at a listener that says nothing.
func TestSetupHonoursContext(t *testing.T) {
	silent := listen(t, "")
	l := newLink(t, openURL(t, "nats://"+silent+"?dial-timeout=1h"), 0)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	wantSays(t, l.Setup(ctx), "deadline exceeded", "no answer in time")
}

func TestSetupAgainstSomethingElse(t *testing.T) {
	other := listen(t, "HTTP/1.1 400 Bad Request\r\n\r\n")
	wantSays(t, newLink(t, openURL(t, "nats://"+other), 0).setup(), "no NATS server")
}

func TestWrongPasswordOverTLS(t *testing.T) {
	url := strings.Replace(brokertest.URL(t, "NATS_TLS"), ":s3cret@", ":falsch@", 1)
	err := newLink(t, openURL(t, url), 0).setup()
	wantSays(t, err, "Authorization Violation", "correct user and password")
}
