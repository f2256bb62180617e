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
			got, err := factory(t, url, "").backing(t.Context())
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
