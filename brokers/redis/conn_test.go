package redis

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/target"
	"github.com/redis/go-redis/v9"
)

func TestRoundTrip(t *testing.T) {
	targets(t, func(t *testing.T, url string) {
		for _, protocol := range []string{"2", "3"} {
			l := connect(t, openURL(t, join(url, "protocol="+protocol)), 0)
			for i, size := range []int{16, 1 << 10, 1 << 20} {
				l.roundTrip(t, brokertest.Payload(0, uint64(i), size))
			}
		}
	})
}

// join adds an option to a URL that may have some.
func join(url, option string) string {
	if strings.Contains(url, "?") {
		return url + "&" + option
	}
	return url + "?" + option
}

func TestConnectionsDoNotCross(t *testing.T) {
	f := openURL(t, brokertest.URL(t, "REDIS"))
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
	f := openURL(t, join(brokertest.URL(t, "REDIS"), "name=me"))
	d, err := f.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Product == "" || !strings.Contains(d.Version, ".") || d.Client != "github.com/redis/go-redis/v9@v"+redis.Version() {
		t.Errorf("Describe = %+v", d)
	}
	values := map[string]string{}
	for _, s := range d.Settings {
		values[s.Name] = s.Value
	}
	if values["name"] != "me" || values["protocol"] != "2" || values["database"] != "0" || values["retries"] != "0" {
		t.Errorf("settings %v", values)
	}
}

func TestTheServerKnowsTheName(t *testing.T) {
	b := serve(t)
	f := openURL(t, b.url("", "/3?name=me"))
	connect(t, f, 0)
	list := do(t, f, "CLIENT|LIST").(string)
	if got := strings.Count(list, "name=me "); got != 3 { // publisher, subscriber, and the one who asks
		t.Errorf("%d connections are named, want 3:\n%s", got, list)
	}
	if got := strings.Count(list, "db=3 "); got != 3 {
		t.Errorf("%d connections are in database 3, want 3:\n%s", got, list)
	}
}

func TestTeardownLeavesNothing(t *testing.T) {
	f := openURL(t, brokertest.URL(t, "REDIS"))
	before := runtime.NumGoroutine()
	for number := range 5 {
		l := connect(t, f, number)
		l.roundTrip(t, brokertest.Payload(0, 1, 64))
		if n := subscribers(t, l); n != 1 {
			t.Errorf("%d subscribers before Teardown, want 1", n)
		}
		l.end(t)
		if l.texts() != "" {
			t.Errorf("an orderly end is told as %s", l.texts())
		}
		until(t, "the subscription is gone", func() bool { return subscribers(t, l) == 0 })
	}
	until(t, "no goroutine of ours", func() bool { return runtime.NumGoroutine() <= before })
}

func TestRequestOutsideOfSetupAndTeardown(t *testing.T) {
	l := newLink(t, openURL(t, brokertest.URL(t, "REDIS")), 0)
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
	b := serve(t, "--proto-max-bulk-len", "1mb", "--client-output-buffer-limit", "pubsub 900kb 0 0")
	l := connect(t, openURL(t, b.url("", "")), 0)
	err := l.Request(t.Context(), brokertest.Payload(0, 0, 1<<20+1))
	wantSays(t, err, "1048577 B are more than the 1048576 B of proto-max-bulk-len", "CONFIG SET", fmt.Sprint(b.port))
	err = l.Request(t.Context(), brokertest.Payload(0, 0, 1<<20))
	wantSays(t, err, "1048576 B", "more than the 921600 B of client-output-buffer-limit pubsub", "CONFIG SET")
	l.roundTrip(t, brokertest.Payload(0, 0, 800<<10))
}

// TestMessageTooLargeForAServerThatDoesNotSay lowers the limit after Setup has
// asked for it: the server then answers with an error and closes the connection.
func TestMessageTooLargeForAServerThatDoesNotSay(t *testing.T) {
	b := serve(t)
	f := openURL(t, b.url("", ""))
	l := connect(t, f, 0)
	do(t, f, "CONFIG|SET|proto-max-bulk-len|1mb")
	until(t, "the server's error", func() bool {
		_ = l.Request(t.Context(), brokertest.Payload(0, 0, 2<<20)) // the socket may break meanwhile
		return len(l.failures) > 0
	})
	wantSays(t, <-l.failures, "invalid bulk length", "proto-max-bulk-len")
	l.goesOn(t)
}

// goesOn wants requests to come back again.
func (l *link) goesOn(t testing.TB) {
	t.Helper()
	until(t, "a reply", func() bool {
		_ = l.Request(t.Context(), brokertest.Payload(0, 2, 100))
		return len(l.replies) > 0
	})
}

// TestSlowSubscriberIsNoticed lowers the limit of what may wait for a subscriber
// below one message, after Setup has asked for it.
func TestSlowSubscriberIsNoticed(t *testing.T) {
	b := serve(t)
	f := openURL(t, b.url("", ""))
	l := connect(t, f, 0)
	do(t, f, "CONFIG|SET|client-output-buffer-limit|pubsub 100kb 0 0")
	if err := l.Request(t.Context(), brokertest.Payload(0, 0, 1<<20)); err != nil {
		t.Fatal(err)
	}
	until(t, "the server is blamed", func() bool { return strings.Contains(l.texts(), "client-output-buffer-limit") })
	for _, want := range []string{"subscriber disconnected: ", "subscriber reconnected after "} {
		if !strings.Contains(l.texts(), want) {
			t.Errorf("events %q; want %q among them", l.texts(), want)
		}
	}
	l.goesOn(t)
}

// TestNobodyIsSubscribed ends the subscription behind go-redis's back.
func TestNobodyIsSubscribed(t *testing.T) {
	l := connect(t, openURL(t, brokertest.URL(t, "REDIS")), 0)
	if err := l.receiver.Unsubscribe(t.Context(), l.channel); err != nil {
		t.Fatal(err)
	}
	until(t, "the subscription is gone", func() bool { return subscribers(t, l) == 0 })
	if err := l.Request(t.Context(), brokertest.Payload(0, 0, 16)); err != nil {
		t.Fatal(err)
	}
	wantSays(t, <-l.failures, "publishing a message", "nobody was subscribed")
}

func TestPublishIsForbiddenLater(t *testing.T) {
	b := serve(t)
	f := openURL(t, b.url("", ""))
	do(t, f, "ACL|SETUSER|u|on|>richtig|allchannels|+@all")
	l := connect(t, openURL(t, b.url("u:richtig@", "")), 0)
	do(t, f, "ACL|SETUSER|u|-publish")
	if err := l.Request(t.Context(), brokertest.Payload(0, 0, 16)); err != nil {
		t.Fatal(err)
	}
	wantSays(t, <-l.failures, "NOPERM", "the user must be allowed")
}

func TestSetupSaysWhy(t *testing.T) {
	gone, locked, open := serve(t), serve(t, "--requirepass", "richtig"), serve(t)
	gone.halt()
	f := openURL(t, open.url("", ""))
	do(t, f, "ACL|SETUSER|mute|on|>richtig|allchannels|+@all|-publish")
	do(t, f, "ACL|SETUSER|deaf|on|>richtig|resetchannels|+@all")
	tests := []struct {
		name, url string
		want      []string
	}{
		{"refused", gone.url("", ""), []string{"connection refused", "start the broker"}},
		{"no password", locked.url("", ""), []string{"NOAUTH", "put user:password@"}},
		{"wrong password", locked.url(":falsch@", ""), []string{"WRONGPASS", "correct user and password"}},
		{"wrong user", locked.url("u:falsch@", ""), []string{"u:xxxxx@", "WRONGPASS", "correct user and password"}},
		{"may not publish", open.url("mute:richtig@", ""), []string{"NOPERM", "brokerbench.*"}},
		{"may not subscribe", open.url("deaf:richtig@", ""), []string{"NOPERM", "brokerbench.*"}},
		{"no such database", open.url("", "/99"), []string{"out of range", "correct the URL's path"}},
		{"TLS not wanted", strings.Replace(open.url("", "?dial-timeout=200ms"), "redis:", "rediss:", 1), []string{"use the scheme redis"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := newLink(t, openURL(t, tt.url), 0).setup()
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
	connect(t, openURL(t, locked.url(":richtig@", "")), 0)
	connect(t, openURL(t, locked.url("default:richtig@", "")), 1)
}

func TestTLSSaysWhy(t *testing.T) {
	url := brokertest.URL(t, "REDIS_TLS")
	bare, _, _ := strings.Cut(url, "?")
	tests := []struct {
		name, url string
		want      []string
	}{
		{"unknown authority", bare, []string{"unknown authority", "tls-ca"}},
		{"another name", join(url, "tls-server-name=other"), []string{"other", "tls-server-name"}},
		{"wrong password", strings.Replace(url, ":s3cret@", ":falsch@", 1), []string{"WRONGPASS", "correct user and password"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wantSays(t, newLink(t, openURL(t, tt.url), 0).setup(), tt.want...) })
	}
}

func TestDescribeSaysWhy(t *testing.T) {
	_, err := openURL(t, fmt.Sprintf("redis://127.0.0.1:%d", freePort(t))).Describe(t.Context())
	wantSays(t, err, "connection refused", "start the broker")
}

// TestReconnect kills the server and starts it again on the same port.
func TestReconnect(t *testing.T) {
	b := serve(t)
	l := connect(t, openURL(t, b.url("", "")), 0)
	l.roundTrip(t, brokertest.Payload(0, 0, 100))
	b.halt()
	until(t, "an error while the server is away", func() bool {
		err := l.Request(t.Context(), brokertest.Payload(0, 1, 100))
		return err != nil && strings.Contains(err.Error(), "server is away")
	})
	until(t, "attempts", func() bool { return strings.Count(l.texts(), "reconnecting: ") == 2 })
	b.start(t)
	l.goesOn(t)
	until(t, "six events", func() bool { return len(l.Events()) >= 6 })
	for _, want := range []string{
		"publisher disconnected: ", "publisher reconnecting: ", "connection refused", "publisher reconnected after ",
		"subscriber disconnected: ", "subscriber reconnecting: ", "subscriber reconnected after ",
	} {
		if !strings.Contains(l.texts(), want) {
			t.Errorf("events %q; want %q among them", l.texts(), want)
		}
	}
	l.end(t)
	until(t, "the subscription is gone", func() bool { return subscribers(t, l) == 0 })
}

// TestTeardownDuringAnOutage wants Teardown not to wait for the server.
func TestTeardownDuringAnOutage(t *testing.T) {
	b := serve(t)
	before := runtime.NumGoroutine()
	l := connect(t, openURL(t, b.url("", "?reconnect-wait=1h")), 0)
	b.halt()
	until(t, "both are lost", func() bool { return strings.Count(l.texts(), "disconnected") == 2 })
	l.end(t)
	until(t, "no goroutine of ours", func() bool { return runtime.NumGoroutine() < before+1 })
}

// TestSetupHonoursContext points at a listener that says nothing.
func TestSetupHonoursContext(t *testing.T) {
	for _, scheme := range []string{"redis", "rediss"} {
		silent := accept(t, func(stream) {})
		l := newLink(t, openURL(t, scheme+"://"+silent+"?dial-timeout=1h&setup-timeout=1h"), 0)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		wantSays(t, l.Setup(ctx), "no answer in time")
		cancel()
	}
}

func TestSetupAgainstSomethingElse(t *testing.T) {
	other := accept(t, func(s stream) { s.say("HTTP/1.1 400 Bad Request\r\n\r\n") })
	wantSays(t, newLink(t, openURL(t, "redis://"+other), 0).setup(), "no Redis server")
}

// TestRoundTripWithoutAServer needs nothing but this process.
func TestRoundTripWithoutAServer(t *testing.T) {
	fake := miniredis.RunT(t)
	fake.RequireUserAuth("u", "richtig")
	l := connect(t, openURL(t, "redis://u:richtig@"+fake.Addr()), 0)
	for i, size := range []int{16, 1 << 10, 1 << 20} {
		l.roundTrip(t, brokertest.Payload(0, uint64(i), size))
	}
}
