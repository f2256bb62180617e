package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kfake"
)

// fake starts a fake cluster and returns its URL.
func fake(t testing.TB, opts ...kfake.Opt) (url string, cluster *kfake.Cluster) {
	t.Helper()
	cluster, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return "kafka://" + strings.Join(cluster.ListenAddrs(), ","), cluster
}

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
	return append(all, "partitions=4", "linger=1ms", "requests-in-flight=1", "fetch-max-wait=50ms", "fetch-min-bytes=16", "replication-factor=-1")
}

// testSizes sends a message of each size and one hundred at once.
func testSizes(t *testing.T, f *Factory) {
	l := connect(t, f, 0)
	for seq, size := range []int{16, 1 << 10, 1 << 20} {
		l.roundTrip(t, brokertest.Payload(0, uint64(seq), size))
	}
	const burst = 100
	for seq := range uint64(burst) {
		l.send(t, brokertest.Payload(0, seq, 64))
	}
	seen := make(map[uint64]bool)
	for range burst {
		got := l.next(t)
		stamp, _ := requester.ReadStamp(got)
		if !bytes.Equal(got, brokertest.Payload(0, stamp.Seq, 64)) {
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

// testConnectionsDoNotCross sets all up at once and sends on each.
func testConnectionsDoNotCross(t *testing.T, f *Factory, connections int) {
	links := make([]*link, connections)
	for i := range links {
		links[i] = newLink(t, f, i)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var setups sync.WaitGroup
	for _, l := range links {
		setups.Go(func() {
			if err := l.Setup(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	setups.Wait()
	if t.Failed() {
		return
	}
	if got := len(topics(t, f)); got != connections {
		t.Errorf("%d topics, want %d", got, connections)
	}
	for seq := range uint64(10) {
		for i, l := range links {
			l.send(t, brokertest.Payload(uint32(i), seq, 100))
		}
	}
	for i, l := range links {
		for range 10 {
			if stamp, _ := requester.ReadStamp(l.next(t)); stamp.Conn != uint32(i) {
				t.Errorf("connection %d got a message of %d", i, stamp.Conn)
			}
		}
	}
	var teardowns sync.WaitGroup
	for _, l := range links {
		teardowns.Go(func() { l.end(t) })
	}
	teardowns.Wait()
	if left := topics(t, f); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFakeMessageTooLarge(t *testing.T) {
	url, _ := fake(t)
	l := connect(t, open(t, url, "max-message-bytes=4096"), 0)
	err := l.Request(t.Context(), brokertest.Payload(0, 1, 4096))
	if err == nil || !strings.Contains(err.Error(), "raise the option max-message-bytes=4096") {
		t.Errorf("Request: %v", err)
	}
	l.roundTrip(t, brokertest.Payload(0, 2, 4096-batchOverhead)) // the largest that is let through goes through
}

func TestFakePassword(t *testing.T) {
	url, _ := fake(t, kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", "bench", "right"), kfake.Superuser("PLAIN", "bench", "right"))
	url = strings.Replace(url, "://", "://bench:right@", 1)
	for _, mechanism := range []string{"sasl=scram-sha-256", "sasl=plain"} {
		connect(t, open(t, url, mechanism), 0).roundTrip(t, brokertest.Payload(0, 1, 16))
	}
}

func TestFakeTopicOfAnotherRunIsLeftAlone(t *testing.T) {
	url, _ := fake(t)
	f := open(t, url, "")
	first := connect(t, f, 0)
	second := newLink(t, f, 0)
	if err := second.Setup(t.Context()); err == nil || !strings.Contains(err.Error(), "another run has this name") {
		t.Errorf("Setup: %v", err)
	}
	second.end(t)
	first.roundTrip(t, brokertest.Payload(0, 1, 16))
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
	l := connect(t, open(t, url, ""), 0)
	l.roundTrip(t, brokertest.Payload(0, 1, 16))
	cluster.Close()
	for seq := range uint64(10) {
		l.send(t, brokertest.Payload(0, 2+seq, 16))
	}
	port, err := strconv.Atoi(url[strings.LastIndex(url, ":")+1:])
	if err != nil {
		t.Fatal(err)
	}
	fake(t, kfake.DataDir(dir), kfake.Ports(port))
	l.send(t, brokertest.Payload(0, 12, 16))
	for seen := make(map[uint64]bool); len(seen) < 11; {
		stamp, _ := requester.ReadStamp(l.next(t))
		if stamp.Seq > 1 { // a retry may bring the first, or any, again
			seen[stamp.Seq] = true
		}
	}
	text := fmt.Sprint(l.Events())
	if !strings.Contains(text, "disconnected from broker") || !strings.Contains(text, "again after") {
		t.Errorf("events %s", text)
	}
	l.end(t) // before the cluster ends
}

// What the cluster refuses for good has failed; it is not lost.
func TestFakeFailureIsNotified(t *testing.T) {
	url, cluster := fake(t)
	l := connect(t, open(t, url, ""), 0)
	refuseProduce(cluster)
	l.send(t, brokertest.Payload(0, 1, 16))
	select {
	case cause := <-l.failures:
		if !strings.Contains(cause.Error(), "must be allowed") || !strings.Contains(cause.Error(), l.factory.target.String()) {
			t.Errorf("cause %v; want the target and the remedy", cause)
		}
	case <-time.After(patience):
		t.Fatal("no failure notified")
	}
}

// Teardown ends a Request that waits for a cluster that does not acknowledge,
// and nothing is replied or told to have failed any more.
func TestFakeTeardownUnblocksRequest(t *testing.T) {
	url, cluster := fake(t)
	f := open(t, url, "")
	var over atomic.Bool
	made, _ := f.New(0, func([]byte) {
		if over.Load() {
			t.Error("a reply after Teardown")
		}
	})
	c := made.(*conn)
	c.NotifyFailure(func([]byte, error) {
		if over.Load() {
			t.Error("a failure after Teardown")
		}
	})
	c.budget = newBudget(1000)
	if err := c.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	cluster.Close()
	blocked := make(chan error, 1)
	go func() {
		for {
			if err := c.Request(context.Background(), brokertest.Payload(0, 1, 100)); err != nil {
				blocked <- err
				return
			}
		}
	}()
	awaitFull(t, c.budget)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.Teardown(ctx); err == nil || !strings.Contains(err.Error(), "nothing listens there") {
		t.Errorf("Teardown without a cluster: %v; want that the topic could not be deleted", err)
	}
	over.Store(true)
	select {
	case err := <-blocked:
		if !errors.Is(err, errTornDown) {
			t.Errorf("Request: %v", err)
		}
	case <-time.After(patience):
		t.Error("Request is still blocked")
	}
}

// awaitFull waits until a take of 100 must be waiting.
func awaitFull(t *testing.T, b *budget) {
	t.Helper()
	for end := time.Now().Add(patience); b.used.Load()+100 <= b.limit; {
		if time.Now().After(end) {
			t.Fatal("nobody waits")
		}
		runtime.Gosched()
	}
}

func TestFakeRequestHonoursContext(t *testing.T) {
	url, _ := fake(t)
	l := connect(t, open(t, url, ""), 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Request(ctx, brokertest.Payload(0, 1, 16)); !errors.Is(err, context.Canceled) {
		t.Errorf("Request: %v", err)
	}
	l.roundTrip(t, brokertest.Payload(0, 2, 16)) // it stays usable
}

func TestRequestAllocatesNothingOfOurs(t *testing.T) {
	c := newConn(open(t, "kafka://h", ""), 0, nil)
	p := brokertest.Payload(0, 1, 1024)
	n := testing.AllocsPerRun(1000, func() {
		if err := c.factory.checkFits(len(p)); err != nil {
			t.Fatal(err)
		}
		_ = c.budget.take(t.Context(), len(p))
		c.message(p, c.nextPartition()).finish(nil, nil)
	})
	if n >= 1 { // the race detector lets the pool forget some
		t.Errorf("%v allocations a request", n)
	}
}
