package kafka

import (
	"maps"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

func TestDurabilitySetsOptions(t *testing.T) { brokertest.LevelsOpen(t, Open, "kafka://h", Levels()) }

// Copies count only if enough of them must have a message, and if none that lacks it may
// lead.
func TestBrokersLimitDurability(t *testing.T) {
	const copies = "acks=all&replication-factor=3"
	safe := map[string]string{"default.replication.factor": "3", "min.insync.replicas": "2", "unclean.leader.election.enable": "false"}
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
