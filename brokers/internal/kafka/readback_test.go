package kafka

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// topicsAre lets the cluster answer who asks for the configuration of topics; nil: he may not
// ask. It tells that of brokers as it is.
func topicsAre(cluster *kfake.Cluster, config map[string]string) {
	cluster.ControlKey(int16(kmsg.DescribeConfigs), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		response := request.ResponseKind().(*kmsg.DescribeConfigsResponse)
		for _, asked := range request.(*kmsg.DescribeConfigsRequest).Resources {
			if asked.ResourceType != kmsg.ConfigResourceTypeTopic {
				return nil, nil, false
			}
			of := kmsg.NewDescribeConfigsResponseResource()
			of.ResourceType, of.ResourceName = asked.ResourceType, asked.ResourceName
			for name, value := range config {
				setting := kmsg.NewDescribeConfigsResponseResourceConfig()
				setting.Name, setting.Value = name, &value
				of.Configs = append(of.Configs, setting)
			}
			if config == nil {
				of.ErrorCode = kerr.TopicAuthorizationFailed.Code
			}
			response.Resources = append(response.Resources, of)
		}
		return response, nil, true
	})
}

// A broker that takes a setting and does not heed it backs no level that needs it, and what it
// does not tell is said.
func TestFakeATopicIsReadBack(t *testing.T) {
	never := map[string]string{"flush.messages": "9223372036854775807", "min.insync.replicas": "1"}
	heeded := map[string]string{"flush.messages": "1", "min.insync.replicas": "2"}
	for _, c := range []struct {
		options string
		config  map[string]string
		refused string // what the error says; "": none
		event   string
	}{
		{options: "durability=machine", config: heeded},
		{options: "durability=machine", config: never, refused: "the topic's flush.messages is 9223372036854775807, which backs process at most, and not machine"},
		{options: "flush-messages=1", config: never, refused: "which backs process at most, and not machine"},
		{options: "durability=machine&durability-check=false", config: never, event: "durability is not backed: the topic's flush.messages is 9223372036854775807"},
		{options: "durability=machine", event: "durability is not verified: the topic's flush.messages is not known"},
		{options: "durability=process", config: never},
		{options: "durability=node", config: heeded},
		{options: "durability=node", config: never, refused: "the topic's min.insync.replicas is 1, which backs process at most, and not node"},
		{options: "acks=0&flush-messages=1", config: never},
	} {
		t.Run(c.options, func(t *testing.T) {
			url, cluster := fake(t, kfake.NumBrokers(3), kfake.BrokerConfigs(map[string]string{"unclean.leader.election.enable": "false"}))
			topicsAre(cluster, c.config)
			f := open(t, url, c.options)
			if _, err := f.Describe(t.Context()); err != nil {
				t.Fatal(err)
			}
			l := requestertest.NewLink(t, f, 0)
			err := l.Begin()
			if c.refused != "" {
				brokertest.WantFault(t, err, "asking for the settings of topic "+f.topic(0), c.refused, "ask for less durability", "durability-check=false")
			} else if err != nil {
				t.Fatal(err)
			}
			if got := l.Texts(); c.event == "" && got != "" || !strings.Contains(got, c.event) {
				t.Errorf("events %q, want %q", got, c.event)
			}
			l.End(t)
			if left := topics(t, f); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// A level counts the copies that there are, not those that were asked for.
func TestCopiesOfATopicLimitDurability(t *testing.T) {
	config := map[string]string{"flush.messages": "1", "min.insync.replicas": "2"}
	for _, c := range []struct {
		options string
		copies  int
		want    requester.Durability
	}{
		{"acks=1", 1, requester.Process},
		{"acks=1", 3, requester.Accepted},
		{"acks=1&flush-messages=1", 3, requester.Accepted},
		{"acks=all", 3, requester.Process},
		{"acks=all&replication-factor=3", 3, requester.Node},
		{"acks=all&replication-factor=3", 2, requester.Process},
		{"acks=all&replication-factor=-1", 2, requester.Node},
		{"acks=all&replication-factor=-1&flush-messages=1", 1, requester.Machine},
	} {
		o := &open(t, "kafka://h", c.options).options
		got, err := o.durable.Back(o.backs(), o.topicLimits(c.copies, config)...)
		if err != nil || got.Level != c.want {
			t.Errorf("%s with %d copies: %+v %v, want %s", c.options, c.copies, got, err, c.want)
		}
	}
}
