package brokers_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

// old returns a run that began long ago, by its name.
func old(name string) string { return fmt.Sprintf("20200101t000000-%s%x", name, time.Now().UnixNano()) }

// alive connects a run to a target, and goes on sending until the test ends.
func alive(t *testing.T, url, run string) *brokertest.Link {
	t.Helper()
	target, err := brokers.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	f, err := target.Open(run + "-0")
	if err != nil {
		t.Fatal(err)
	}
	l := brokertest.Connect(t, f, 0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(stop); <-stopped })
	go func() {
		defer close(stopped)
		for seq := uint64(1); ; seq++ {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				_ = l.Request(context.Background(), brokertest.Payload(0, seq, 64))
			}
		}
	}()
	return l
}

// cleaned cleans, and returns what became of a run's things.
func cleaned(t *testing.T, url, run string, c brokers.Cleaning) []brokers.Leftover {
	t.Helper()
	target, err := brokers.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	found, unseen, err := target.Clean(t.Context(), c)
	if err != nil || unseen != "" {
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
// to go on.
func testClean(t *testing.T, url, dead string, everyRun bool) {
	live := old("live")
	l := alive(t, url, live)
	all := brokers.Cleaning{Age: time.Hour}
	if !everyRun {
		all.Run = dead
	}
	dry := all
	dry.DryRun = true
	want(t, cleaned(t, url, dead, dry), brokers.WouldRemove)
	want(t, cleaned(t, url, dead, all), brokers.Removed)
	want(t, cleaned(t, url, dead, all), "")
	if everyRun {
		want(t, cleaned(t, url, live, all), brokers.Kept)
	}
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
	dead := old("dead")
	client, err := kgo.NewClient(kgo.SeedBrokers(url[len("kafka://"):]))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).CreateTopic(t.Context(), 1, 1, nil, "brokerbench."+dead+"-0.0"); err != nil {
		t.Fatal(err)
	}
	brokertest.Until(t, "the topic", func() bool {
		topics, err := kadm.NewClient(client).ListTopics(t.Context())
		return err == nil && topics.Has("brokerbench."+dead+"-0.0")
	})
	testClean(t, url, dead, true)
}

func TestCleanRemovesQueuesOfDeadRunsOnly(t *testing.T) {
	url := brokertest.URL(t, "RABBITMQ")
	dead := old("dead")
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
	for _, url := range []string{"nats://h", "redis://h", "loopback:"} {
		target, err := brokers.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		found, unseen, err := target.Clean(t.Context(), brokers.Cleaning{})
		if len(found) > 0 || unseen != "" || err != nil || target.Leaves() {
			t.Errorf("%s: %v, %q, %v", url, found, unseen, err)
		}
	}
}
