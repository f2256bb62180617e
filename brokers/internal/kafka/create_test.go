package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// answerLost makes the topics of the first request, and leaves that without an answer.
func answerLost(t *testing.T, fakes *kfake.Cluster, f *Factory) {
	t.Helper()
	var asked bool // controls run one after the other
	fakes.ControlKey(int16(kmsg.CreateTopics), func(request kmsg.Request) (kmsg.Response, error, bool) {
		fakes.KeepControl()
		if asked {
			return nil, nil, false
		}
		asked = true
		var wanted []cluster.Topic
		for _, topic := range request.(*kmsg.CreateTopicsRequest).Topics {
			wanted = append(wanted, f.wanted(topic.Topic))
		}
		fakes.SleepControl(func() { makeTopics(t, f, wanted...) })
		return nil, nil, true
	})
}

func makeTopics(t *testing.T, f *Factory, wanted ...cluster.Topic) {
	t.Helper()
	err := f.admin(context.Background(), func(ctx context.Context, admin *kadm.Client) error {
		return errors.Join(cluster.CreateTopics(ctx, admin, new(cluster.Attempts), wanted...)...)
	})
	if err != nil {
		t.Error(err)
	}
}

// A topic that was made although the broker did not say so is ours: it is used and deleted.
func TestFakeATopicThatAnEarlierRequestMadeIsOurs(t *testing.T) {
	t.Parallel() // no answer is waited for for seconds
	url, fakes := fake(t)
	f := open(t, url, "partitions=2")
	answerLost(t, fakes, f)
	l := requestertest.Connect(t, f, 0)
	l.RoundTrip(t, requestertest.Payload(0, 1, 16))
	l.End(t)
	if left := topics(t, f); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// So are the topics of a topology.
func TestFakeTopicsThatAnEarlierRequestMadeAreOurs(t *testing.T) {
	t.Parallel()
	url, fakes := fake(t)
	f := open(t, url, "")
	f.shared.topology = requester.Topology{Topics: 3, Groups: 1, Members: 1}
	answerLost(t, fakes, f)
	c := newConn(f, 0, requester.Replies(func([]byte) {}))
	if err := c.uses.Use(&f.shared.Shared, func() error { return f.create(t.Context()) }); err != nil {
		t.Fatal(err)
	}
	if got := topics(t, f); len(got) != 3 {
		t.Errorf("topics %v", got)
	}
	if err := c.uses.Leave(t.Context()); err != nil || len(topics(t, f)) > 0 {
		t.Errorf("%v, left %v", err, topics(t, f))
	}
}

// A topic that existed before we asked is another's, and stays.
func TestFakeATopicThatExistedBeforeIsAnothers(t *testing.T) {
	url, _ := fake(t)
	f := open(t, url, "")
	makeTopics(t, f, f.wanted(f.topic(0)))
	l := requestertest.NewLink(t, f, 0)
	ctx, cancel := context.WithTimeout(t.Context(), brokertest.Patience)
	defer cancel()
	brokertest.WantFault(t, l.Setup(ctx), "another run has this name")
	l.End(t)
	if got := topics(t, f); !slices.Equal(got, []string{f.topic(0)}) || len(f.Left()) > 0 {
		t.Errorf("topics %v, want the other's; it says %v", got, f.Left())
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
