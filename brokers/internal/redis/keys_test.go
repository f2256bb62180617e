package redis

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

func TestAKeyHasOneStream(t *testing.T) {
	for _, topology := range []requester.Topology{{Topics: 4, Groups: 2, Members: 2}, {Topics: 5, Groups: 3, Members: 3}} {
		f := openURL(t, serve(t).url("", "?stream=group"))
		brokertest.Keys(t, f, topology, topology.Topics)
		if n := keys(t, f); n > 0 {
			t.Errorf("%v: %d streams are left", topology, n)
		}
	}
}

func TestABacklogWithKeys(t *testing.T) {
	t.Parallel()
	brokertest.KeyedBacklog(t, openURL(t, serve(t).url("", "?stream=group")), requester.Topology{Topics: 4, Groups: 2, Members: 2})
}

func TestChannelsHaveNoKeys(t *testing.T) {
	brokertest.WantNoKeys(t, openURL(t, "redis://h"), requester.Topology{}, "messages of channels have no keys: use the option stream=group")
	brokertest.WantNoKeys(t, openURL(t, "redis://h?stream=group"), requester.Topology{}, "add --topics")
}
