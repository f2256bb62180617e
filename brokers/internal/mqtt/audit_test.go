package mqtt

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestAuditReadsAll(t *testing.T) {
	for _, options := range []string{"qos=1", "qos=2"} {
		requestertest.AuditReadsAll(t, running(t, options+"&audit-session=true"), 5000, 100, 1)
	}
	requestertest.AuditReadsAll(t, factory(t, brokertest.URL(t, "MQTT_TLS"), "qos=1&audit-session=true"), 100, 100_000, 1)
}

// The mark at the end of a session reaches nobody but the audit.
func TestAnAuditIsNoReply(t *testing.T) {
	f := running(t, "qos=1&audit-session=true")
	l := requestertest.Store(t, f, 0, 10, 100)
	for range 10 {
		l.Next(t)
	}
	brokertest.AuditMisses(t, f, 10)
	l.RoundTrip(t, requestertest.Payload(0, 99, 100))
	if len(l.Replies) > 0 || l.Texts() != "" {
		t.Errorf("%d replies, events %s", len(l.Replies), l.Texts())
	}
}

// The session of a connection is on the host of that connection, where the audit reads it.
func TestASessionIsOnTheHostOfItsConnection(t *testing.T) {
	first := make(chan int, 10)
	host := func(number int) string {
		return brokertest.Accept(t, func(socket net.Conn) {
			first <- number
			_ = socket.Close()
		})
	}
	f := factory(t, "mqtt://"+host(0)+","+host(1), "qos=1&audit-session=true")
	for number := range 2 {
		made, err := f.New(number, requester.Sink{})
		if err != nil {
			t.Fatal(err)
		}
		c := made.(*conn)
		_ = c.makeSession(t.Context(), c.Shared) // no broker is there
		if got := <-first; got != number {
			t.Errorf("the session of connection %d is made on host %d", number, got)
		}
		<-first // the other host is tried, too
		_ = c.read(t.Context(), func([]byte) {})
		if got := <-first; got != number {
			t.Errorf("the session of connection %d is read on host %d", number, got)
		}
		<-first
	}
}

func TestAuditExplains(t *testing.T) {
	for _, options := range []string{"", "qos=1"} {
		if err := running(t, options).Audit(t.Context(), nil); !errors.Is(err, requester.ErrKeepsNothing) {
			t.Errorf("%q: %v", options, err)
		}
	}
	f := running(t, "qos=1&audit-session=true")
	connected(t, f, 0)
	if err := f.remove(t.Context(), auditID(f.Run, 0)); err != nil {
		t.Fatal(err)
	}
	err := f.Audit(t.Context(), nil)
	if !errors.Is(err, requester.ErrStoreGone) {
		t.Errorf("without its session: %v", err)
	}
	brokertest.WantFault(t, err, "reading session "+auditID(f.Run, 0), "persistence true")
}

// What the broker dropped because the session was full is no loss.
func TestASessionThatWasFull(t *testing.T) {
	f := running(t, "qos=1&audit-session=true")
	requestertest.Store(t, f, 0, 100, 100)
	c := f.conns.All()[0]
	l, _ := c.Current()
	l.window.Sent(0, requestertest.Payload(0, 100, 100)) // one more is acknowledged
	l.window.Answered(0, nil)
	n := 0
	err := f.Audit(t.Context(), func([]byte) { n++ })
	brokertest.WantFault(t, err, "after 100 messages", "lacks the last message", "max_queued_messages")
	if !errors.Is(err, errCutShort) || n != 100 {
		t.Errorf("%d messages, %v", n, err)
	}
	l.Lose(errors.New("lost")) // then it may well be a loss
	requestertest.Until(t, "the loss is noted", func() bool { return c.Losses() > 0 })
	requestertest.Store(t, f, 1, 10, 100)
	if err := f.Audit(t.Context(), func([]byte) {}); err != nil {
		t.Error(err)
	}
}

// The default limits of Mosquitto: 20 messages on their way, 1,000 that wait. What is beyond is
// dropped, and said; a run within them is whole.
func TestABrokerWithItsDefaults(t *testing.T) {
	url := plainMosquitto(t)
	requestertest.Run(t, factory(t, url, "qos=1"))
	requestertest.AuditReadsAll(t, factory(t, url, "qos=1&audit-session=true"), 400, 100, 1)
	f := factory(t, url, "qos=1&audit-session=true")
	requestertest.Store(t, f, 0, 5000, 100)
	n := 0
	err := f.Audit(t.Context(), func([]byte) { n++ })
	if !errors.Is(err, errCutShort) || n < 900 || n > 1100 {
		t.Errorf("%d messages, %v", n, err)
	}
}

// plainMosquitto starts a Mosquitto without a configuration, if this machine has one, and
// returns its URL.
func plainMosquitto(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("mosquitto")
	if err != nil {
		if path = "/usr/sbin/mosquitto"; !exists(path) {
			t.Skip("no mosquitto on this machine")
		}
	}
	address := brokertest.Refusing(t)
	_, port, _ := net.SplitHostPort(address)
	server := exec.CommandContext(context.Background(), path, "-p", port) // it outlives the links of the test
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	url := "mqtt://" + address
	requestertest.Until(t, "the server answers", func() bool {
		return factory(t, url, "").start(t.Context(), "test") == nil
	})
	return url
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func BenchmarkAudit(b *testing.B) {
	f := running(b, "qos=1&audit-session=true")
	const n = 100_000
	for b.Loop() {
		b.StopTimer()
		l := requestertest.Store(b, f, 0, n, 1<<10)
		b.StartTimer()
		began, count := time.Now(), 0
		if err := f.Audit(b.Context(), func([]byte) { count++ }); err != nil || count != n {
			b.Fatalf("%d messages, %v", count, err)
		}
		b.ReportMetric(n/time.Since(began).Seconds(), "messages/s")
		b.StopTimer()
		l.End(b)
		b.StartTimer()
	}
}
