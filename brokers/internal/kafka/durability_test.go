package kafka

import (
	"maps"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestDurabilitySetsOptions(t *testing.T) { brokertest.LevelsOpen(t, Open, "kafka://h", Levels()) }

// Copies count only if enough of them must have a message, and if none that lacks it may
// lead.
func TestBrokersLimitDurability(t *testing.T) {
	const copies = "acks=all&replication-factor=3"
	const each = "&idempotent=true&transactions=each"
	safe := map[string]string{
		"default.replication.factor": "3", "min.insync.replicas": "2", "unclean.leader.election.enable": "false",
		"transaction.state.log.replication.factor": "3", "transaction.state.log.min.isr": "2",
		"log.flush.interval.messages": "9223372036854775807",
	}
	for _, c := range []struct {
		query   string
		brokers map[string]string
		want    requester.Durability
	}{
		{"acks=0", nil, requester.None},
		{"acks=1", nil, requester.Process},
		{"acks=1&flush-messages=1", nil, requester.Machine},
		{"acks=all", nil, requester.Process},
		{copies, nil, requester.Node},
		{copies, map[string]string{"min.insync.replicas": "1"}, requester.Process},
		{copies + "&min-insync-replicas=2", map[string]string{"min.insync.replicas": "1"}, requester.Node},
		{copies + "&min-insync-replicas=1", nil, requester.Process},
		{copies, map[string]string{"unclean.leader.election.enable": "true"}, requester.Process},
		{"acks=all&replication-factor=-1", nil, requester.Node},
		{"acks=all&replication-factor=-1", map[string]string{"default.replication.factor": "1"}, requester.Process},
		{copies + "&flush-messages=1", map[string]string{"min.insync.replicas": "1"}, requester.Machine},
		{"acks=1&replication-factor=3", nil, requester.Accepted},
		{"acks=1&replication-factor=-1&flush-messages=1", nil, requester.Accepted},
		{copies, map[string]string{"unclean.leader.election.enable": ""}, requester.Process},
		{copies + "&durability=node&min-insync-replicas=2", map[string]string{"unclean.leader.election.enable": ""}, requester.Node},
		{"acks=all" + each, nil, requester.Process},
		{"acks=all&flush-messages=1" + each, nil, requester.Process},
		{"acks=all&flush-messages=1" + each, map[string]string{"log.flush.interval.messages": "1"}, requester.Machine},
		{copies + each, nil, requester.Node},
		{copies + each, map[string]string{"transaction.state.log.replication.factor": "1"}, requester.Process},
		{copies + each, map[string]string{"transaction.state.log.min.isr": "1"}, requester.Process},
		{copies, map[string]string{"transaction.state.log.min.isr": "1"}, requester.Node},
		{copies + "&consumer=share", nil, requester.Node},
		{"acks=1", map[string]string{"log.retention.bytes": "1048576"}, requester.None},
		{"acks=1", map[string]string{"log.retention.bytes": "1099511627776", "log.retention.hours": "168"}, requester.Process},
		{"acks=1", map[string]string{"log.retention.bytes": "-1", "log.retention.ms": "60000", "log.retention.hours": "168"}, requester.None},
		{"acks=1", map[string]string{"log.retention.minutes": "5"}, requester.None},
		{"acks=1", map[string]string{"log.retention.ms": "-1", "log.retention.minutes": "5"}, requester.Process},
		{copies, map[string]string{"log.retention.hours": "1"}, requester.None},
		{"acks=1", map[string]string{"log.retention.ms": "9223372036854775807", "log.retention.bytes": "9223372036854775807"}, requester.Process},
	} {
		f, err := Open("kafka://h?"+c.query, "run")
		if err != nil {
			t.Fatal(err)
		}
		config := maps.Clone(safe)
		maps.Copy(config, c.brokers)
		o := &f.options
		got, err := o.durable.Back(o.backs(), o.limits(config)...)
		if err != nil || got.Level != c.want {
			t.Errorf("%s with %v: %+v %v, want %s", c.query, c.brokers, got, err, c.want)
		}
	}
}

// A leader that alone has acknowledged does not keep what it acknowledged, if another leads.
func TestAcksOfTheLeaderAreNoCopies(t *testing.T) {
	brokertest.OpenRefuses(t, Open, "kafka", map[string][]string{
		"kafka://h?durability=process&replication-factor=3":      {"the other options back accepted at most; it needs acks="},
		"kafka://h?durability=machine&replication-factor=-1":     {"the other options back accepted at most; it needs acks="},
		"kafka://h?durability=node&acks=1&min-insync-replicas=0": {"the other options back accepted at most; it needs acks="},
	})
}

// What a broker does not tell is not taken for what it should be.
func TestAMissingSettingIsNotVerified(t *testing.T) {
	f, err := Open("kafka://h?durability=node", "run")
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.options.durable.Back(f.options.backs(), f.options.limits(map[string]string{})...)
	if err != nil || len(got.NotVerified) != 1 || got.NotVerified[0] != "the brokers' unclean.leader.election.enable is not known" {
		t.Errorf("%+v %v", got, err)
	}
}

// Who may not ask for the brokers' configuration gets what the options back, and is told what
// was taken for granted.
func TestFakeConfigurationThatMayNotBeAsked(t *testing.T) {
	url, cluster := fake(t, kfake.NumBrokers(3))
	cluster.ControlKey(int16(kmsg.DescribeConfigs), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		response := request.ResponseKind().(*kmsg.DescribeConfigsResponse)
		for _, asked := range request.(*kmsg.DescribeConfigsRequest).Resources {
			refused := kmsg.NewDescribeConfigsResponseResource()
			refused.ResourceType, refused.ResourceName = asked.ResourceType, asked.ResourceName
			refused.ErrorCode = kerr.ClusterAuthorizationFailed.Code
			response.Resources = append(response.Resources, refused)
		}
		return response, nil, true
	})
	for options, want := range map[string]requester.Durability{
		"durability=node":    requester.Node,
		"durability=process": requester.Process,
		"acks=all&replication-factor=3&min-insync-replicas=2":        requester.Process, // nothing was asked for
		"durability=node&acks=all&idempotent=true&transactions=each": requester.Node,
	} {
		d, err := open(t, url, options).Describe(t.Context())
		if err != nil || d.Durability == nil || d.Durability.Level != want {
			t.Errorf("%s: %+v, %v, want %s", options, d.Durability, err, want)
			continue
		}
		said := strings.Join(d.Durability.NotVerified, " ") + d.Durability.Limit
		if !strings.Contains(said, "CLUSTER_AUTHORIZATION_FAILED") {
			t.Errorf("%s: not verified %q, limit %q", options, d.Durability.NotVerified, d.Durability.Limit)
		}
	}
}

// One broker is no cluster of three, whatever the topic is told.
func TestFakeTooFewBrokersForANode(t *testing.T) {
	url, _ := fake(t)
	for _, options := range []string{"durability=node", "durability=node&replication-factor=-1&min-insync-replicas=0"} {
		_, err := open(t, url, options).Describe(t.Context())
		brokertest.WantFault(t, err, "does not back durability=node", "the number of brokers is 1", "start more brokers")
	}
}

// TestDurabilityOfTheRunningBrokers asks the real ones: one, or a cluster of three.
func TestDurabilityOfTheRunningBrokers(t *testing.T) {
	url := brokertest.URL(t, "KAFKA")
	nodes := 1 + strings.Count(url, ",")
	for _, level := range requester.Durabilities() {
		for _, more := range []string{"", "&acks=all&idempotent=true&transactions=20ms", "&consumer=share"} {
			if level == requester.None && strings.Contains(more, "transactions") {
				continue // a contradiction
			}
			f := open(t, url, "durability="+string(level)+more)
			d, err := f.Describe(t.Context())
			refused := level == requester.Node && nodes == 1 || level == requester.Machine && strings.Contains(more, "transactions")
			if refused != (err != nil) {
				t.Errorf("%s%s on %d: %+v, %v", level, more, nodes, d.Durability, err)
				continue
			}
			if refused {
				brokertest.WantFault(t, err, "does not back durability="+string(level))
				continue
			}
			if !d.Durability.Level.AtLeast(level) || len(d.Durability.NotVerified) > 0 {
				t.Errorf("%s%s on %d: %+v", level, more, nodes, d.Durability)
			}
			l := requestertest.Connect(t, f, 0)
			l.RoundTrip(t, requestertest.Payload(0, 1, 100))
			l.End(t)
		}
	}
}
