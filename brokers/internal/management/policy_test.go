package management

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const queue = "brokerbench.20261122t100000-0000000a-0.0"

// serveAll answers several paths.
func serveAll(t *testing.T, answers map[string]string) API {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.EscapedPath()]
		if !ok {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(s.Close)
	return API{Base: s.URL, Vhost: "/"}
}

// Of the policies that match a queue only those with the highest priority are in force, and
// those of operators beside them.
func TestPoliciesInForce(t *testing.T) {
	const (
		everything = `{"name":"everything","pattern":"","apply-to":"all","priority":0,"definition":{"message-ttl":1000}}`
		ours       = `{"name":"ours","pattern":"^brokerbench\\.","apply-to":"quorum_queues","priority":5,"definition":{"delivery-limit":3}}`
		others     = `{"name":"others","pattern":"^orders","apply-to":"queues","priority":9,"definition":{"expires":1}}`
		exchanges  = `{"name":"exchanges","pattern":".*","apply-to":"exchanges","priority":9,"definition":{}}`
		operators  = `{"name":"operators","pattern":"bench","apply-to":"queues","priority":0,"definition":{"max-length":10}}`
		perl       = `{"name":"perl","pattern":"(?=a)","apply-to":"queues","priority":0,"definition":{}}`
	)
	for _, tt := range []struct {
		users, operators, queueType string
		want                        string
	}{
		{"[]", "[]", "quorum", ""},
		{"[" + everything + "," + others + "," + exchanges + "]", "[]", "quorum", "everything"},
		{"[" + everything + "," + ours + "]", "[" + operators + "]", "quorum", "ours operators"},
		{"[" + ours + "," + everything + "]", "[]", "quorum", "ours"},
		{"[" + ours + "," + everything + "]", "[]", "classic", "everything"},
		{"[" + ours + "," + everything + "]", "[" + operators + "]", "stream", "everything operators"},
		{"[" + perl + "]", "[]", "quorum", `the pattern "(?=a)" of the policy perl cannot be read`},
		{"[]", "", "quorum", "403"},
	} {
		answers := map[string]string{"/api/policies/%2F": tt.users}
		if tt.operators != "" {
			answers["/api/operator-policies/%2F"] = tt.operators
		}
		got, err := serveAll(t, answers).policies(t.Context(), Queue{Name: queue, Type: tt.queueType})
		var names []string
		for _, p := range got {
			names = append(names, p.Name)
		}
		if err != nil && !strings.Contains(err.Error(), tt.want) || err == nil && strings.Join(names, " ") != tt.want {
			t.Errorf("%s and %s for %s: %q, %v, want %q", tt.users, tt.operators, tt.queueType, names, err, tt.want)
		}
	}
}

func TestPoliciesThatDrop(t *testing.T) {
	full := Queue{Overflow: "reject-publish"}
	for _, tt := range []struct {
		definition string
		of         Queue
		want       string
	}{
		{`{}`, Queue{}, ""},
		{`{"delivery-limit":3,"queue-mode":"lazy"}`, Queue{}, ""},
		{`{"message-ttl":3600000}`, full, "message-ttl 3600000"},
		{`{"expires":1000}`, Queue{}, "expires 1000"},
		{`{"expires":60000}`, Queue{Expires: time.Minute}, ""},
		{`{"expires":59999}`, Queue{Expires: time.Minute}, "expires 59999"},
		{`{"max-age":"7D"}`, Queue{}, "max-age 7D"},
		{`{"max-length":1000}`, Queue{}, "max-length 1000, beyond which the oldest are dropped"},
		{`{"max-length-bytes":1000,"overflow":"drop-head"}`, Queue{}, "max-length-bytes 1000, beyond which the oldest are dropped"},
		{`{"max-length":1000,"overflow":"reject-publish"}`, Queue{}, ""},
		{`{"max-length":1000,"overflow":"reject-publish-dlx"}`, Queue{}, ""},
		{`{"max-length":1000,"overflow":"drop-head"}`, full, ""},
		{`{"max-length-bytes":1000,"overflow":"reject-publish"}`, Queue{Type: "stream"}, "max-length-bytes 1000, beyond which the oldest are dropped"},
		{`{"max-age":"1h"}`, Queue{Type: "stream"}, "max-age 1h"},
	} {
		var p policy
		if err := json.Unmarshal([]byte(tt.definition), &p.Definition); err != nil {
			t.Fatal(err)
		}
		if got := p.drops(tt.of); got != tt.want {
			t.Errorf("%s of %+v: %q, want %q", tt.definition, tt.of, got, tt.want)
		}
	}
}
