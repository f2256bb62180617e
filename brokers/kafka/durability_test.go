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
		{"acks=1&replication-factor=3", nil, requester.Process},
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
