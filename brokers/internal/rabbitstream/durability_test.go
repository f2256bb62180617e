package rabbitstream

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

func TestDurabilitySetsOptions(t *testing.T) {
	brokertest.LevelsOpen(t, Open, "rabbitmq-stream://h", Levels())
}

// One node alone backs kill -9, because a stream is never synced.
func TestNodesLimitDurability(t *testing.T) {
	const one, three = `[{"running":true},{"running":false},{"running":false}]`, `[{"running":true},{"running":true},{"running":true}]`
	const old = `[{"name":"old","pattern":"^brokerbench","apply-to":"streams","priority":0,"definition":{"max-age":"1h"}}]`
	for _, c := range []struct {
		nodes, asks string // "": the API does not answer
		policies    string
		want        requester.Durability
		notVerified bool
		says        string // of the error
	}{
		{nodes: one, want: requester.Process},
		{nodes: one, asks: "process", want: requester.Process},
		{nodes: one, asks: "machine", says: "a stream is never synced to the disk, and the cluster has 1 running node"},
		{nodes: one, asks: "node&durability-check=false", want: requester.Process},
		{nodes: three, want: requester.Node},
		{nodes: three, asks: "machine", want: requester.Node},
		{want: requester.Process},
		{asks: "process", want: requester.Process, notVerified: true},
		{asks: "node", want: requester.Node, notVerified: true},
		{nodes: three, policies: old, want: requester.None},
		{nodes: one, policies: old, asks: "process", says: "the policy old sets max-age 1h, which backs none at most"},
		{nodes: three, asks: "process&max-length=1000000", says: "max-length=1000000 trims the stream: a message that was trimmed is not kept, which backs none at most"},
		{nodes: one, asks: "as-set&max-length=1000000", want: requester.None},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := map[string]string{"/api/nodes": c.nodes, "/api/policies/%2F": cmp.Or(c.policies, "[]"), "/api/operator-policies/%2F": "[]"}[r.URL.EscapedPath()]
			if c.nodes == "" || answer == "" {
				w.WriteHeader(http.StatusNotFound)
			}
			_, _ = io.WriteString(w, answer)
		}))
		options := "management=" + s.URL
		if c.asks != "" {
			options += "&durability=" + c.asks
		}
		got, err := brokertest.Opened(t, Open, "rabbitmq-stream://h", options).backing(t.Context())
		s.Close()
		if c.says != "" {
			brokertest.WantError(t, err, c.says)
			continue
		}
		if err != nil || got.Level != c.want || c.notVerified != (len(got.NotVerified) > 0) {
			t.Errorf("%+v: %+v %v", c, got, err)
		}
	}
}
