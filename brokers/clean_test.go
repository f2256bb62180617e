package brokers_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
	"github.com/redis/go-redis/v9"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// old returns a run that began long ago, by its name.
func old() string { return fmt.Sprintf("20200101t000000-%08x", rand.Uint32()) }

// alive connects a run to a target, and goes on sending until the test ends.
func alive(t *testing.T, url, run string) *requestertest.Link {
	t.Helper()
	target, err := brokers.All().Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	f, err := target.Open(run + "-0")
	if err != nil {
		t.Fatal(err)
	}
	l := requestertest.Connect(t, f, 0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(stop); <-stopped })
	go func() {
		defer close(stopped)
		for seq := uint64(1); ; seq++ {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				_ = l.Request(context.Background(), requestertest.Payload(0, seq, 64))
			}
		}
	}()
	return l
}

// cleaned cleans, and returns what became of a run's things.
func cleaned(t *testing.T, url, run string, c brokers.Cleaning) []brokers.Leftover {
	t.Helper()
	target, err := brokers.All().Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	found, unseen, err := target.Clean(t.Context(), c)
	if err != nil || unseen != "" && !strings.Contains(unseen, "AMQP cannot list queues") {
		t.Fatal(err, unseen)
	}
	var own []brokers.Leftover
	for _, l := range found {
		if l.Run == run+"-0" {
			own = append(own, l)
		}
	}
	return own
}

// want wants one thing with an outcome; "" for none.
func want(t *testing.T, found []brokers.Leftover, outcome brokers.Outcome) {
	t.Helper()
	if outcome == "" && len(found) == 0 {
		return
	}
	if len(found) != 1 || found[0].Outcome != outcome || (found[0].Reason == "") == (outcome == brokers.Kept) {
		t.Errorf("found %+v, want one that is %s", found, outcome)
	}
}

// testClean wants what a dead run left to be removed, and a run that lives beside it
// to go on. Of other people's runs nothing is removed: it names the run, but for a
// dry run if listed, which is whether the broker can list all runs.
func testClean(t *testing.T, url, dead string, listed bool) {
	live := old()
	l := alive(t, url, live)
	if listed {
		all := brokers.Cleaning{Age: time.Hour, DryRun: true}
		want(t, cleaned(t, url, dead, all), brokers.WouldRemove)
		want(t, cleaned(t, url, live, all), brokers.Kept)
	}
	want(t, cleaned(t, url, dead, brokers.Cleaning{Run: dead, DryRun: true}), brokers.WouldRemove)
	want(t, cleaned(t, url, dead, brokers.Cleaning{Run: dead}), brokers.Removed)
	want(t, cleaned(t, url, dead, brokers.Cleaning{Run: dead}), "")
	want(t, cleaned(t, url, live, brokers.Cleaning{Run: live}), brokers.Kept) // also if it is named
	want(t, cleaned(t, url, live, brokers.Cleaning{Run: live + "-0"}), brokers.Kept)
	for len(l.Replies) > 0 {
		<-l.Replies
	}
	l.Next(t) // its messages still come back
	if texts := l.Texts(); texts != "" {
		t.Errorf("events of the live run: %s", texts)
	}
}

func TestCleanRemovesTopicsOfDeadRunsOnly(t *testing.T) {
	url := brokertest.URL(t, "KAFKA")
	dead, empty, stranger := old(), old(), fmt.Sprintf("orders-%08x", rand.Uint32())
	client, err := kgo.NewClient(kgo.SeedBrokers(url[len("kafka://"):]))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	var topics []string
	for _, run := range []string{dead + "-0", empty + "-0", stranger + "-0"} {
		topics = append(topics, "brokerbench."+run+".0")
	}
	t.Cleanup(func() { _, _ = admin.DeleteTopics(context.Background(), topics...) })
	if _, err := admin.CreateTopics(t.Context(), 1, 1, nil, topics...); err != nil {
		t.Fatal(err)
	}
	for _, topic := range []string{topics[0], topics[2]} {
		r := &kgo.Record{Topic: topic, Value: []byte("x"), Timestamp: time.Now().Add(-2 * time.Hour)}
		if err := client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	all := brokers.Cleaning{Age: time.Hour, DryRun: true}
	want(t, cleaned(t, url, empty, all), brokers.Kept) // it may have been made just now
	want(t, cleaned(t, url, empty, brokers.Cleaning{Run: empty, DryRun: true}), brokers.WouldRemove)
	want(t, cleaned(t, url, stranger, all), brokers.Kept)
	testClean(t, url, dead, true)
}

func TestCleanRemovesStreamsOfDeadRunsOnly(t *testing.T) {
	url := brokertest.URL(t, "REDIS")
	dead, empty, stranger := old(), old(), fmt.Sprintf("orders-%08x", rand.Uint32())
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(o)
	defer client.Close()
	name := func(run string) string { return "brokerbench." + run + "-0.0" }
	t.Cleanup(func() { client.Del(context.Background(), name(dead), name(empty), name(stranger), "x"+name(dead)) })
	for _, key := range []string{name(dead), name(stranger), "x" + name(dead)} {
		if err := client.XAdd(t.Context(), &redis.XAddArgs{Stream: key, ID: "1577836800000-0", Values: []string{"a", "b"}}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.XGroupCreateMkStream(t.Context(), name(empty), "g", "0").Err(); err != nil {
		t.Fatal(err)
	}
	all := brokers.Cleaning{Age: time.Hour, DryRun: true}
	want(t, cleaned(t, url, empty, all), brokers.Kept) // it may have been made just now
	want(t, cleaned(t, url, empty, brokers.Cleaning{Run: empty, DryRun: true}), brokers.WouldRemove)
	want(t, cleaned(t, url, stranger, all), brokers.Kept)
	testClean(t, brokertest.With(url, "stream=group"), dead, true)
	if n := client.Exists(t.Context(), "x"+name(dead)).Val(); n != 1 {
		t.Error("a stream of somebody else's is gone")
	}
}

func TestCleanRemovesQueuesOfDeadRunsOnly(t *testing.T) {
	url := brokertest.URL(t, "RABBITMQ")
	dead := old()
	conn, err := amqp.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	channel, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := channel.QueueDeclare("brokerbench."+dead+"-0.7", true, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	testClean(t, brokertest.With(url, "durable=true"), dead, false)
}

func TestNothingIsLeftOnBrokersThatKeepNothing(t *testing.T) {
	for _, url := range []string{"loopback:"} {
		target, err := brokers.All().Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		found, unseen, err := target.Clean(t.Context(), brokers.Cleaning{})
		if len(found) > 0 || unseen != "" || err != nil || target.Leaves() {
			t.Errorf("%s: %v, %q, %v", url, found, unseen, err)
		}
	}
}

// A name that is mistyped would match nothing, and read as if nothing were left.
func TestCleaningRefusesWhatIsNoRun(t *testing.T) {
	for run, ok := range map[string]bool{
		"": true, "20261122t015809-907ea3f6": true, "20261122t015809-907ea3f6-12": true, "verify-4711": true,
		"verify-20261122t015809-907ea3f6": true,
		"20261122t015809":                 false, "20261122t015809-907EA3F6": false, "20261122t015809-907ea3f": false, "verify-": false,
		"20261122t015809-907ea3f6-": false, "orders": false, "20261322t015809-907ea3f6": false,
	} {
		if err := (brokers.Cleaning{Run: run}).Check(); (err == nil) != ok {
			t.Errorf("%q: %v", run, err)
		}
	}
}

func TestTheManagementURLHasNoSecretAndNoneIsSaid(t *testing.T) {
	for url, ok := range map[string]bool{
		"": true, "http://h:15672": true, "https://h/rabbit/": true, "http://[::1]:15672": true,
		"h:15672": false, "ftp://h": false, "http://": false, "http://:15672": false, "http://h?x=s3cret": false, "http://h#s3cret": false,
		"http://u:s3cret@h": false, "http://s3cret@h": false, "http://u:s3/cret@h": false, "u:s3cret@h:15672": false,
		"http://u:s3cret%zz@h": false, "http://h:s3cret": false, "http://h/@s3cret": false, "s3cret://h": false,
	} {
		err := brokers.Cleaning{Management: url}.Check()
		if (err == nil) != ok || err != nil && strings.Contains(err.Error(), "s3") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// Clean knows again what the connections of a run are called.
func TestCleanKnowsNamesAgain(t *testing.T) {
	const run = "20261122t015809-907ea3f6-0"
	if got := leftover.Run(target.Name(run, 12)); got != run {
		t.Errorf("%q, want %q", got, run)
	}
}
