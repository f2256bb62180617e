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
		{"acks=1&replication-factor=3", nil, requester.Process},
		{"acks=all" + each, nil, requester.Process},
		{"acks=all&flush-messages=1" + each, nil, requester.Process},
		{"acks=all&flush-messages=1" + each, map[string]string{"log.flush.interval.messages": "1"}, requester.Machine},
		{copies + each, nil, requester.Node},
		{copies + each, map[string]string{"transaction.state.log.replication.factor": "1"}, requester.Process},
		{copies + each, map[string]string{"transaction.state.log.min.isr": "1"}, requester.Process},
		{copies, map[string]string{"transaction.state.log.min.isr": "1"}, requester.Node},
		{copies + "&consumer=share", nil, requester.Node},
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
