package rabbitstream

import (
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
	for _, c := range []struct {
		nodes, asks string // "": the API does not answer
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
		{asks: "process", want: requester.Process},
		{asks: "node", want: requester.Node, notVerified: true},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if c.nodes == "" || r.URL.Path != "/api/nodes" {
				w.WriteHeader(http.StatusNotFound)
			}
			_, _ = io.WriteString(w, c.nodes)
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
