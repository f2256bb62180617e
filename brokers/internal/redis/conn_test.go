package redis

import (
	"runtime"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/redis/go-redis/v9"
)

func TestConformance(t *testing.T) {
	targets(t, func(t *testing.T, url string) { requestertest.Run(t, openURL(t, url)) })
}

// Newer servers conform, and Valkey is called that. Those that `with --durability process` starts back that level.
func TestNewerServersConform(t *testing.T) {
	for name, product := range map[string]string{"REDIS8": "Redis", "REDIS8_TLS": "Redis", "VALKEY": "Valkey", "VALKEY_TLS": "Valkey"} {
		for _, options := range []string{"", "stream=read", "stream=group", "stream=read&durability=process", "stream=group&durability=process"} {
			t.Run(name+"/"+options, func(t *testing.T) {
				f := openURL(t, brokertest.With(brokertest.NewerURL(t, name), options))
				d, err := f.Describe(t.Context())
				if err != nil && do(t, f, "CONFIG|GET|appendonly").([]any)[1] == "no" {
					t.Skip("the server keeps no file: `deploy/local/with --durability process` starts one that does")
				}
				if err != nil || d.Product != product {
					t.Errorf("%q, %v", d.Product, err)
				}
				requestertest.Run(t, f)
			})
		}
	}
}

func TestRoundTrip(t *testing.T) {
	targets(t, func(t *testing.T, url string) {
		for _, protocol := range []string{"2", "3"} {
			requestertest.Connect(t, openURL(t, brokertest.With(url, "protocol="+protocol)), 0).RoundTrips(t)
		}
	})
}

// TestRoundTripWithoutAServer needs nothing but this process.
func TestRoundTripWithoutAServer(t *testing.T) {
	fake := miniredis.RunT(t)
	fake.RequireUserAuth("u", "richtig")
	requestertest.Connect(t, openURL(t, "redis://u:richtig@"+fake.Addr()), 0).RoundTrips(t)
}

func TestDescribe(t *testing.T) {
	d, err := openURL(t, brokertest.With(brokertest.URL(t, "REDIS"), "name=me")).Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Product == "" || !strings.Contains(d.Version, ".") || d.Client != "github.com/redis/go-redis/v9@v"+redis.Version() {
		t.Errorf("Describe = %+v", d)
	}
	brokertest.WantSettings(t, d.Settings, map[string]string{"name": "me", "protocol": "2", "database": "0", "retries": "0"})
}

func TestTheServerKnowsTheName(t *testing.T) {
	b := serve(t)
	f := openURL(t, b.url("", "/3?name=me"))
	requestertest.Connect(t, f, 0)
	list := do(t, f, "CLIENT|LIST").(string)
	if got := strings.Count(list, "name=me "); got != 3 { // publisher, subscriber, and the one who asks
		t.Errorf("%d connections are named, want 3:\n%s", got, list)
	}
	if got := strings.Count(list, "db=3 "); got != 3 {
		t.Errorf("%d connections are in database 3, want 3:\n%s", got, list)
	}
}

func TestTeardownLeavesNothing(t *testing.T) {
	requestertest.TeardownLeavesNothing(t, openURL(t, brokertest.URL(t, "REDIS")), func(l *requestertest.Link) bool {
		n := subscribers(t, l)
		if n > 1 {
			t.Errorf("%d subscribers, want 1", n)
		}
		return n == 0
	})
}

func TestRequestOutsideOfSetupAndTeardown(t *testing.T) {
	brokertest.RequestNeedsSetup(t, openURL(t, brokertest.URL(t, "REDIS")))
}

func TestMessageTooLarge(t *testing.T) {
	b := serve(t, "--proto-max-bulk-len", "1mb", "--client-output-buffer-limit", "pubsub 900kb 0 0")
	l := requestertest.Connect(t, openURL(t, b.url("", "")), 0)
	err := l.Request(t.Context(), requestertest.Payload(0, 0, 1<<20+1))
	brokertest.WantFault(t, err, "1048577 B are more than the 1048576 B of proto-max-bulk-len", "CONFIG SET", b.port)
	err = l.Request(t.Context(), requestertest.Payload(0, 0, 1<<20))
	brokertest.WantFault(t, err, "1048576 B", "more than the 921600 B of client-output-buffer-limit pubsub", "CONFIG SET")
	l.RoundTrip(t, requestertest.Payload(0, 0, 800<<10))
}

// TestMessageTooLargeForAServerThatDoesNotSay lowers the limit after Setup has
// asked for it: the server then answers with an error and closes the connection.
func TestMessageTooLargeForAServerThatDoesNotSay(t *testing.T) {
	b := serve(t)
	f := openURL(t, b.url("", ""))
	l := requestertest.Connect(t, f, 0)
	do(t, f, "CONFIG|SET|proto-max-bulk-len|1mb")
	requestertest.Until(t, "the server's error", func() bool {
		_ = l.Request(t.Context(), requestertest.Payload(0, 0, 2<<20)) // the socket may break meanwhile
		select {
		case failed := <-l.Failures: // go-redis reads no reply if its write fails before
			return strings.Contains(failed.Cause.Error(), "invalid bulk length") && strings.Contains(failed.Cause.Error(), "proto-max-bulk-len")
		default:
			return false
		}
	})
	l.GoesOn(t)
}

// TestSlowSubscriberIsNoticed lowers the limit of what may wait for a subscriber
// below one message, after Setup has asked for it.
func TestSlowSubscriberIsNoticed(t *testing.T) {
	b := serve(t)
	f := openURL(t, b.url("", ""))
	l := requestertest.Connect(t, f, 0)
	do(t, f, "CONFIG|SET|client-output-buffer-limit|pubsub 100kb 0 0")
	l.Send(t, requestertest.Payload(0, 0, 1<<20))
	l.WantEvents(t, "client-output-buffer-limit", "subscriber disconnected: ", "subscriber reconnected after ")
	l.GoesOn(t)
}

// TestNobodyIsSubscribed ends the subscription behind go-redis's back.
func TestNobodyIsSubscribed(t *testing.T) {
	l := requestertest.Connect(t, openURL(t, brokertest.URL(t, "REDIS")), 0)
	c := l.Requester.(*conn)
	if err := c.receiver.Unsubscribe(t.Context(), c.channel); err != nil {
		t.Fatal(err)
	}
	requestertest.Until(t, "the subscription is gone", func() bool { return subscribers(t, l) == 0 })
	l.Send(t, requestertest.Payload(0, 0, 16))
	l.WantFailure(t, "publishing a message", "no subscriber")
}

func TestPublishIsForbiddenLater(t *testing.T) {
	b := serve(t)
	f := openURL(t, b.url("", ""))
	do(t, f, "ACL|SETUSER|u|on|>richtig|allchannels|+@all")
	l := requestertest.Connect(t, openURL(t, b.url("u:richtig@", "")), 0)
	do(t, f, "ACL|SETUSER|u|-publish")
	l.Send(t, requestertest.Payload(0, 0, 16))
	l.WantFailure(t, "NOPERM", "the user must be allowed")
}

func TestSetupExplains(t *testing.T) {
	locked, open := serve(t, "--requirepass", "richtig"), serve(t)
	f := openURL(t, open.url("", ""))
	do(t, f, "ACL|SETUSER|mute|on|>richtig|allchannels|+@all|-publish")
	do(t, f, "ACL|SETUSER|deaf|on|>richtig|resetchannels|+@all")
	brokertest.SetupExplains(t, Open, map[string][]string{
		"refused":           {"redis://" + brokertest.Refusing(t), "127.0.0.1", "connection refused", "start the broker"},
		"no password":       {locked.url("", ""), "127.0.0.1", "NOAUTH", "put user:password@"},
		"wrong password":    {locked.url(":geheim@", ""), "127.0.0.1", "WRONGPASS", "correct user and password"},
		"wrong user":        {locked.url("u:geheim@", ""), "u:xxxxx@127.0.0.1", "WRONGPASS", "correct user and password"},
		"may not publish":   {open.url("mute:richtig@", ""), "127.0.0.1", "NOPERM", "brokerbench.*"},
		"may not subscribe": {open.url("deaf:richtig@", ""), "127.0.0.1", "NOPERM", "brokerbench.*"},
		"no such database":  {open.url("", "/99"), "127.0.0.1", "out of range", "correct the URL's path"},
		"TLS not wanted":    {strings.Replace(open.url("", "?dial-timeout=200ms"), "redis:", "rediss:", 1), "127.0.0.1", "use the scheme redis"},
		"no Redis":          {"redis://" + brokertest.Greet(t, "HTTP/1.1 400 Bad Request\r\n\r\n"), "no Redis server"},
	})
	requestertest.Connect(t, openURL(t, locked.url(":richtig@", "")), 0)
	requestertest.Connect(t, openURL(t, locked.url("default:richtig@", "")), 1)
}

func TestSetupExplainsTLS(t *testing.T) {
	url := brokertest.URL(t, "REDIS_TLS")
	bare, _, _ := strings.Cut(url, "?")
	brokertest.SetupExplains(t, Open, map[string][]string{
		"unknown authority": {bare, "unknown authority", "tls-ca"},
		"another name":      {brokertest.With(url, "tls-server-name=other"), "other", "tls-server-name"},
		"wrong password":    {strings.Replace(url, ":s3cret@", ":geheim@", 1), "WRONGPASS", "correct user and password"},
	})
}

func TestDescribeExplains(t *testing.T) {
	brokertest.DescribeExplains(t, openURL(t, "redis://"+brokertest.Refusing(t)))
}

// TestReconnect kills the server and starts it again on the same port.
func TestReconnect(t *testing.T) {
	b := serve(t)
	l := requestertest.Connect(t, openURL(t, b.url("", "")), 0)
	brokertest.ComesBack(t, l, b.halt, func() { b.start(t) },
		[]string{"publisher disconnected: ", "subscriber disconnected: ", "publisher reconnecting: ", "subscriber reconnecting: ", "connection refused"},
		[]string{"publisher reconnected after ", "subscriber reconnected after "})
	l.End(t)
	requestertest.Until(t, "the subscription is gone", func() bool { return subscribers(t, l) == 0 })
}

// TestTeardownDuringAnOutage wants Teardown not to wait for the server.
func TestTeardownDuringAnOutage(t *testing.T) {
	b := serve(t)
	before := runtime.NumGoroutine()
	l := requestertest.Connect(t, openURL(t, b.url("", "?reconnect-wait=1h")), 0)
	b.halt()
	requestertest.Until(t, "both are lost", func() bool { return strings.Count(l.Texts(), "disconnected") == 2 })
	l.End(t)
	requestertest.NoGoroutines(t, before)
}
