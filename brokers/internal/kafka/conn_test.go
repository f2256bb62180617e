package kafka

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/twmb/franz-go/pkg/kfake"
)

func TestFakeRoundTrip(t *testing.T) {
	url, _ := fake(t, kfake.NumBrokers(3))
	for _, options := range combinations() {
		t.Run(options, func(t *testing.T) { testSizes(t, open(t, url, options)) })
	}
}

// combinations returns the options that change how a message travels.
func combinations() []string {
	var all []string
	for _, acks := range []string{"acks=0", "acks=1", "acks=all", "acks=all&idempotent=true"} {
		for _, compression := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
			all = append(all, acks+"&compression="+compression)
		}
	}
	return append(all, "partitions=4", "linger=1ms", "requests-in-flight=1", "fetch-max-wait=50ms", "fetch-min-bytes=16", "fetch-max-partition-bytes=1024", "replication-factor=-1")
}

// testSizes sends a message of each size and one hundred at once.
func testSizes(t *testing.T, f *Factory) {
	l := requestertest.Connect(t, f, 0)
	l.RoundTrips(t)
	const burst = 100
	for seq := range uint64(burst) {
		l.Send(t, requestertest.Payload(0, seq, 64))
	}
	seen := make(map[uint64]bool)
	for range burst {
		got := l.Next(t)
		stamp, _ := requester.ReadStamp(got)
		if !bytes.Equal(got, requestertest.Payload(0, stamp.Seq, 64)) {
			t.Fatalf("reply %d differs", stamp.Seq)
		}
		seen[stamp.Seq] = true
	}
	if len(seen) != burst {
		t.Errorf("%d different replies, want %d", len(seen), burst)
	}
}

func TestFakeConnectionsDoNotCross(t *testing.T) {
	url, _ := fake(t, kfake.NumBrokers(3))
	testConnectionsDoNotCross(t, open(t, url, ""), 20)
}

// testConnectionsDoNotCross also wants as many topics as connections, and none
// after Teardown.
func testConnectionsDoNotCross(t *testing.T, f *Factory, connections int) {
	links := requestertest.ConnectionsDoNotCross(t, f, connections)
	if got := topics(t, f); len(got) != connections || !slices.Contains(got, f.topic(0)) {
		t.Errorf("topics %v, want %d with %s", got, connections, f.topic(0))
	}
	var teardowns sync.WaitGroup
	for _, l := range links {
		teardowns.Go(func() { l.End(t) })
	}
	teardowns.Wait()
	if left := topics(t, f); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFakeRequestOutsideOfSetupAndTeardown(t *testing.T) {
	url, _ := fake(t)
	brokertest.RequestNeedsSetup(t, open(t, url, ""))
}

func TestFakeMessageTooLarge(t *testing.T) {
	url, _ := fake(t)
	l := requestertest.Connect(t, open(t, url, "max-message-bytes=4096"), 0)
	brokertest.WantFault(t, l.Request(t.Context(), requestertest.Payload(0, 1, 4096)), "raise the option max-message-bytes=4096")
	l.RoundTrip(t, requestertest.Payload(0, 2, 4096-batchOverhead)) // the largest that is let through goes through
}

func TestFakePassword(t *testing.T) {
	url, _ := fake(t, kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", "bench", "right"), kfake.Superuser("PLAIN", "bench", "right"))
	url = strings.Replace(url, "://", "://bench:right@", 1)
	for _, mechanism := range []string{"sasl=scram-sha-256", "sasl=plain"} {
		requestertest.Connect(t, open(t, url, mechanism), 0).RoundTrip(t, requestertest.Payload(0, 1, 16))
	}
}

func TestFakeTopicOfAnotherRunIsLeftAlone(t *testing.T) {
	url, _ := fake(t)
	f := open(t, url, "")
	first := requestertest.Connect(t, f, 0)
	second := requestertest.NewLink(t, f, 0)
	brokertest.WantFault(t, second.Begin(), "another run has this name")
	second.End(t)
	first.RoundTrip(t, requestertest.Payload(0, 1, 16))
}

func TestFakeDescribe(t *testing.T) {
	url, _ := fake(t)
	f := open(t, strings.Replace(url, "://", "://bench:geheim@", 1), "sasl=plain")
	f.common = open(t, url, "").common // the fake asks for no password
	d, err := f.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Product != "Kafka" || !strings.Contains(d.Version, "guessed from ApiVersions") || !strings.HasPrefix(d.Client, clientModule) {
		t.Errorf("description %+v", d)
	}
	if len(d.Settings) != len(Options(scheme)) || strings.Contains(fmt.Sprint(d), "geheim") {
		t.Errorf("settings %+v", d.Settings)
	}
}

// A cluster that goes away and comes back: what was sent in between arrives, and
// both are noted.
func TestFakeOutage(t *testing.T) {
	dir := t.TempDir()
	url, cluster := fake(t, kfake.DataDir(dir))
	l := requestertest.Connect(t, open(t, url, ""), 0)
	l.RoundTrip(t, requestertest.Payload(0, 1, 16))
	cluster.Close()
	for seq := range uint64(10) {
		l.Send(t, requestertest.Payload(0, 2+seq, 16))
	}
	port, err := strconv.Atoi(url[strings.LastIndex(url, ":")+1:])
	if err != nil {
		t.Fatal(err)
	}
	fake(t, kfake.DataDir(dir), kfake.Ports(port))
	l.Send(t, requestertest.Payload(0, 12, 16))
	for seen := make(map[uint64]bool); len(seen) < 11; {
		stamp, _ := requester.ReadStamp(l.Next(t))
		if stamp.Seq > 1 { // a retry may bring the first, or any, again
			seen[stamp.Seq] = true
		}
	}
	l.WantEvents(t, "disconnected from broker", "again after")
	l.End(t) // before the cluster ends
}

// What the cluster refuses for good has failed; it is not lost.
func TestFakeFailureIsNotified(t *testing.T) {
	url, cluster := fake(t)
	f := open(t, url, "")
	l := requestertest.Connect(t, f, 0)
	refuseProduce(cluster)
	l.Send(t, requestertest.Payload(0, 1, 16))
	brokertest.WantFault(t, l.WantFailure(t).Cause, f.Target.String(), "must be allowed")
}

// Requests do not wait for a cluster that does not acknowledge. After Teardown they are refused,
// and no reply or failure is reported.
func TestFakeTeardownEndsRequests(t *testing.T) {
	url, cluster := fake(t)
	l := requestertest.Connect(t, open(t, url, ""), 0)
	cluster.Close()
	for seq := range uint64(100) {
		l.Send(t, requestertest.Payload(0, seq, 100))
	}
	brokertest.WantFault(t, l.TryEnd(), "nothing listens there") // the topic could not be deleted
	if err := l.Request(t.Context(), requestertest.Payload(0, 1, 100)); !errors.Is(err, errTornDown) {
		t.Errorf("Request: %v", err)
	}
	if len(l.Replies) > 0 || len(l.Failures) > 0 {
		t.Errorf("%d replies and %d failures", len(l.Replies), len(l.Failures))
	}
}

// A connection holds a bounded number of bytes.
func TestFakeTooMuchIsRefused(t *testing.T) {
	url, _ := fake(t)
	l := requestertest.Connect(t, open(t, url, ""), 0)
	l.Requester.(*conn).unacked.Add(maxUnacknowledged)
	if err := l.Request(t.Context(), requestertest.Payload(0, 1, 16)); !errors.Is(err, transport.ErrQueueFull) {
		t.Errorf("Request: %v", err)
	}
	l.Requester.(*conn).unacked.Add(-maxUnacknowledged)
	l.RoundTrip(t, requestertest.Payload(0, 2, 16))
}

func TestFakeRequesterStaysUsableAfterAContext(t *testing.T) {
	url, _ := fake(t)
	brokertest.StaysUsableAfterAContext(t, requestertest.Connect(t, open(t, url, ""), 0))
}

func TestRequestAllocatesNothingOfOurs(t *testing.T) {
	c := newConn(open(t, "kafka://h", ""), 0, requester.Replies(nil))
	p := requestertest.Payload(0, 1, 1024)
	n := testing.AllocsPerRun(1000, func() {
		if err := c.factory.checkFits(len(p)); err != nil {
			t.Fatal(err)
		}
		c.unacked.Add(int64(len(p)))
		c.message(p, c.nextPartition()).finish(nil, nil)
	})
	if n >= 1 { // the race detector lets the pool forget some
		t.Errorf("%v allocations a request", n)
	}
}
