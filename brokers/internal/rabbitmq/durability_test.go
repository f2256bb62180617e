package rabbitmq

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
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
	const ttl = `[{"name":"all","pattern":".*","apply-to":"queues","priority":0,"definition":{"message-ttl":1000}}]`
	const short = `[{"name":"all","pattern":".*","apply-to":"queues","priority":0,"definition":{"max-length":10}}]`
	const limit = `[{"name":"all","pattern":".*","apply-to":"queues","priority":0,"definition":{"delivery-limit":0}}]`
	for _, c := range []struct {
		name, nodes string // "": the management API does not answer
		policies    string // "": none; "-": the user may not read them
		asks        string
		want        requester.Durability
		notVerified int
		says        string
	}{
		{name: "three", nodes: "[" + running + "," + running + "," + running + "]", asks: "node", want: requester.Node},
		{name: "two of three", nodes: "[" + running + "," + down + "," + running + "]", asks: "node", says: "the cluster has 2 running nodes, which backs machine at most"},
		{name: "one", nodes: "[" + running + "]", asks: "machine", want: requester.Machine, notVerified: 1},
		{name: "one, nothing asked for", nodes: "[" + running + "]", asks: "as-set", want: requester.Process},
		{name: "no API for a classic queue", policies: "-", asks: "process&queue-type=classic&persistent=true", want: requester.Process, notVerified: 1},
		{name: "messages that expire in a classic queue", nodes: "[" + running + "]", policies: ttl, asks: "process&queue-type=classic&persistent=true", says: "the policy all sets message-ttl 1000, which backs none at most"},
		{name: "a classic queue that is full drops", nodes: "[" + running + "]", policies: short, asks: "accepted&queue-type=classic", says: "the policy all sets max-length 10, beyond which the oldest are dropped"},
		{name: "messages that come back are dropped", nodes: "[" + running + "]", policies: limit, asks: "accepted", says: "the policy all sets delivery-limit 0, which drops a message that comes back"},
		{name: "no API", policies: "-", asks: "node", want: requester.Node, notVerified: 3},
		{name: "no API, nothing asked for", asks: "as-set", want: requester.Process},
		{name: "policies that may not be known", nodes: "[" + running + "," + running + "," + running + "]", policies: "-", asks: "node", want: requester.Node, notVerified: 1},
		{name: "policies of a lower level", nodes: "[" + running + "]", policies: "-", asks: "process", want: requester.Process, notVerified: 1},
		{name: "messages that expire", nodes: "[" + running + "," + running + "," + running + "]", policies: ttl, asks: "node", says: "the policy all sets message-ttl 1000, which backs none at most"},
		{name: "messages that expire, nothing asked for", nodes: "[" + running + "]", policies: ttl, asks: "as-set", want: requester.None},
		{name: "a queue that is full drops none", nodes: "[" + running + "]", policies: short, asks: "process&max-length=1000", want: requester.Process},
		{name: "a queue that is full drops", nodes: "[" + running + "]", policies: short, asks: "process", says: "the policy all sets max-length 10, beyond which the oldest are dropped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers := map[string]string{}
			if c.nodes != "" {
				answers["/api/nodes"] = c.nodes
			}
			if c.policies != "-" {
				answers["/api/policies/%2F"], answers["/api/operator-policies/%2F"] = cmp.Or(c.policies, "[]"), "[]"
			}
			url := "amqp://bench:" + brokertest.Secret + "@127.0.0.1:1?durable=true&confirm=true" + queueType(c.asks) + "&durability=" + c.asks + "&management=" + managementAPI(t, answers)
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

// queueType returns the option of a quorum queue, unless the query has another one.
func queueType(query string) string {
	if strings.Contains(query, "queue-type") {
		return ""
	}
	return "&queue-type=quorum"
}

// TestPoliciesOfTheRunningBroker asks the real API.
func TestPoliciesOfTheRunningBroker(t *testing.T) {
	api := brokertest.URL(t, "RABBITMQ_MANAGEMENT")
	f := running(t, "durability=machine&management="+url.QueryEscape(strings.Replace(api, "guest:guest@", "", 1)))
	if _, err := f.Backing(t.Context()); err != nil {
		t.Fatal(err)
	}
	policy := api + "/api/policies/%2F/" + f.broker.Run
	manage(t, http.MethodPut, policy, `{"pattern":"^brokerbench\\.`+f.broker.Run+`","apply-to":"queues","priority":7,"definition":{"message-ttl":3600000}}`)
	t.Cleanup(func() { manage(t, http.MethodDelete, policy, "") })
	_, err := f.Backing(t.Context())
	brokertest.WantError(t, err, "the policy "+f.broker.Run+" sets message-ttl 3600000, which backs none at most")
}

// manage asks the management API to change something.
func manage(t *testing.T, method, url, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil || answer.StatusCode >= 300 {
		t.Fatal(answer, err)
	}
	_ = answer.Body.Close()
}

// A confirm is worth nothing if the message may be in no queue.
func TestOptionsLimitDurability(t *testing.T) {
	for query, want := range map[string]requester.Durability{
		"": requester.None, "confirm=true": requester.None, "durable=true": requester.None,
		"confirm=true&durable=true":                                   requester.Accepted,
		"confirm=true&durable=true&persistent=true":                   requester.Process,
		"confirm=true&durable=true&queue-type=quorum":                 requester.Node,
		"confirm=true&durable=true&queue-type=quorum&mandatory=false": requester.None,
	} {
		if got := factory(t, "amqp://h?"+query, "").options.backs(); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	brokertest.OpenRefuses(t, Open, "rabbitmq", map[string][]string{
		"amqp://h?durability=process&mandatory=false": {"the other options back none at most; it needs confirm=true, durable=true, exchange=fanout, mandatory=true, persistent=true"},
	})
}

func TestTheManagementURLHasNoSecret(t *testing.T) {
	brokertest.OpenRefuses(t, Open, "rabbitmq", map[string][]string{
		"amqp://h?management=http%3A%2F%2Fbench%3A" + brokertest.Secret + "%40m": {"option management: want http://HOST:PORT"},
	})
}
