package kafka

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// answerLost lets somebody, whose options are others, make the topic that is asked for first,
// and perhaps write to it. The question gets no answer.
func answerLost(t *testing.T, cluster *kfake.Cluster, url, others string, write bool) {
	t.Helper()
	var asked bool // controls run one after the other
	cluster.ControlKey(int16(kmsg.CreateTopics), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		if asked {
			return nil, nil, false
		}
		asked = true
		topic := request.(*kmsg.CreateTopicsRequest).Topics[0].Topic
		cluster.SleepControl(func() { makeAs(t, open(t, url, others), topic, write) })
		return nil, nil, true
	})
}

func makeAs(t *testing.T, f *Factory, topic string, write bool) {
	t.Helper()
	err := f.admin(context.Background(), func(ctx context.Context, admin *kadm.Client) error {
		return cluster.CreateTopics(ctx, admin, new(cluster.Attempts), f.wanted(topic))[0]
	})
	if err != nil {
		t.Error(err)
	}
	if !write {
		return
	}
	client, err := kgo.NewClient(f.measuredOpts(topic)...)
	if err != nil {
		t.Error(err)
		return
	}
	defer client.Close()
	if err := client.ProduceSync(context.Background(), &kgo.Record{Topic: topic}).FirstErr(); err != nil {
		t.Error(err)
	}
}

// A topic that was made although the broker did not say so is ours: it is used and deleted.
func TestFakeATopicThatAnEarlierAttemptMadeIsOurs(t *testing.T) {
	t.Parallel() // no answer is waited for for seconds
	url, cluster := fake(t)
	f := open(t, url, "partitions=2")
	answerLost(t, cluster, url, "partitions=2", false)
	l := requestertest.Connect(t, f, 0)
	l.RoundTrip(t, requestertest.Payload(0, 1, 16))
	l.End(t)
	if left := topics(t, f); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Whatever differs shows that it is another's.
func TestFakeATopicThatIsNotAsWeWantedItIsAnothers(t *testing.T) {
	for name, tc := range map[string]struct {
		others string
		write  bool
	}{
		"another number of partitions": {others: "partitions=3"},
		"other settings":               {others: "max-message-bytes=4096"},
		"more settings":                {others: "flush-messages=1"},
		"a message":                    {write: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, cluster := fake(t)
			f := open(t, url, "")
			answerLost(t, cluster, url, tc.others, tc.write)
			l := requestertest.NewLink(t, f, 0)
			ctx, cancel := context.WithTimeout(t.Context(), brokertest.Patience)
			defer cancel()
			brokertest.WantFault(t, l.Setup(ctx), "another run has this name")
			l.End(t)
			if got := topics(t, f); !slices.Equal(got, []string{f.topic(0)}) {
				t.Errorf("topics %v, want the other's", got)
			}
		})
	}
}

// The topics of a topology are made in one request, as long as they have few partitions.
func TestFakeTopicsOfATopologyAreOneRequest(t *testing.T) {
	for partitions, want := range map[int]int{1: 1, 20: 3} {
		url, cluster := fake(t)
		requests, made := 0, 0
		cluster.ControlKey(int16(kmsg.CreateTopics), func(request kmsg.Request) (kmsg.Response, error, bool) {
			cluster.KeepControl()
			requests++
			made += len(request.(*kmsg.CreateTopicsRequest).Topics)
			return nil, nil, false
		})
		f := open(t, url, fmt.Sprintf("partitions=%d", partitions))
		f.shared.topology = requester.Topology{Topics: 300, Groups: 1, Members: 1}
		c := newConn(f, 0, requester.Replies(func([]byte) {}))
		if err := c.uses.Use(&f.shared.Shared, func() error { return f.create(t.Context()) }); err != nil {
			t.Fatal(err)
		}
		if requests != want || made != 300 {
			t.Errorf("%d topics in %d requests, want %d", made, requests, want)
		}
		if err := c.uses.Leave(t.Context()); err != nil || len(topics(t, f)) > 0 {
			t.Errorf("%v, left %v", err, topics(t, f))
		}
	}
}
