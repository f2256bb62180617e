package rabbitmq

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

func TestDurabilitySetsOptions(t *testing.T) {
	brokertest.LevelsOpen(t, Open, "amqp://h", Levels())
}

// A queue of one node is not one of three, and what the broker does not tell is said.
func TestNodesLimitDurability(t *testing.T) {
	const running, down = `{"running":true}`, `{"running":false}`
	for _, c := range []struct {
		name, nodes string // "": the management API does not answer
		asks        string
		want        requester.Durability
		notVerified int
		says        string
	}{
		{name: "three", nodes: "[" + running + "," + running + "," + running + "]", asks: "node", want: requester.Node},
		{name: "two of three", nodes: "[" + running + "," + down + "," + running + "]", asks: "node", says: "the cluster has 2 running nodes, which backs machine at most"},
		{name: "one", nodes: "[" + running + "]", asks: "machine", want: requester.Machine, notVerified: 1},
		{name: "one, nothing asked for", nodes: "[" + running + "]", asks: "as-set", want: requester.Process},
		{name: "no API", asks: "node", want: requester.Node, notVerified: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers := map[string]string{}
			if c.nodes != "" {
				answers["/api/nodes"] = c.nodes
			}
			url := "amqp://bench:" + brokertest.Secret + "@127.0.0.1:1?durable=true&confirm=true&queue-type=quorum&durability=" + c.asks + "&management=" + managementAPI(t, answers)
			got, err := factory(t, url, "").Backing(t.Context())
			if c.says != "" {
				brokertest.WantError(t, err, c.says)
				return
			}
			if err != nil || got.Level != c.want || len(got.NotVerified) != c.notVerified {
				t.Errorf("%+v %v, want %s", got, err, c.want)
			}
		})
	}
}

// A confirm of what is in no queue promises nothing.
func TestOptionsLimitDurability(t *testing.T) {
	for query, want := range map[string]requester.Durability{
		"": requester.None, "confirm=true": requester.None, "durable=true": requester.None,
		"confirm=true&durable=true":                                                  requester.Accepted,
		"confirm=true&durable=true&persistent=true":                                  requester.Process,
		"confirm=true&durable=true&queue-type=quorum":                                requester.Node,
		"confirm=true&durable=true&queue-type=quorum&mandatory=false":                requester.None,
		"confirm=true&durable=true&persistent=true&exchange=fanout&audit-queue=true": requester.Process,
	} {
		if got := factory(t, "amqp://h?"+query, "").options.backs(); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	brokertest.OpenRefuses(t, Open, "rabbitmq", map[string][]string{
		"amqp://h?durability=process&mandatory=false": {"the other options back none at most; it needs confirm=true, durable=true, mandatory=true, persistent=true"},
	})
}

func TestTheManagementURLHasNoSecret(t *testing.T) {
	brokertest.OpenRefuses(t, Open, "rabbitmq", map[string][]string{
		"amqp://h?management=http%3A%2F%2Fbench%3A" + brokertest.Secret + "%40m": {"option management: want http://HOST:PORT"},
	})
}
