package rabbitmq

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
)

// managementAPI answers as RabbitMQ's does. It knows one user.
func managementAPI(t *testing.T, answers map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		answer, ok := answers[r.URL.EscapedPath()]
		if !ok || user != "bench" || password != brokertest.Secret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestManagementAPIListsWhatIsLeft(t *testing.T) {
	api := managementAPI(t, map[string]string{
		"/api/queues/v%2F1": `[{"name":"orders"}, {"name":"brokerbench.a-0.0","consumers":0,"idle_since":"2026-11-22 10:00:00"},
			{"name":"brokerbench.a-0.1","consumers":1}, {"name":"brokerbench.b-0.0","consumers":0,"idle_since":"2026-11-22T10:00:00.000+00:00"}]`,
		"/api/exchanges/v%2F1": `[{"name":""},{"name":"brokerbench.a-0.0"},{"name":"brokerbench.a-0.2"}]`,
	})
	f := factory(t, "amqp://bench:"+brokertest.Secret+"@127.0.0.1:1/v%2F1", "")
	got, unseen, err := f.Find(t.Context(), leftover.Query{Management: api + "/"})
	if err != nil || unseen != "" || len(got) != 4 {
		t.Fatal(got, unseen, err)
	}
	idle := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	want := []leftover.Thing{
		{Kind: "queue", Name: "brokerbench.a-0.0", Used: idle},
		{Kind: "queue", Name: "brokerbench.a-0.1", Busy: "somebody consumes it"},
		{Kind: "queue", Name: "brokerbench.b-0.0", Used: idle},
		{Kind: "exchange", Name: "brokerbench.a-0.2"},
	}
	for i, w := range want {
		if g := got[i]; g.Kind != w.Kind || g.Name != w.Name || g.Busy != w.Busy || !w.Used.IsZero() && !g.Used.Equal(w.Used) {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
	if got, _, err := f.Find(t.Context(), leftover.Query{Run: "b", Management: api}); err != nil || len(got) != 1 {
		t.Error(got, err)
	}
}

func TestWhatCannotBeListedIsSaid(t *testing.T) {
	_, unseen, err := running(t, "").Find(t.Context(), leftover.Query{Management: "http://" + brokertest.Refusing(t)})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"connection refused", "--run", "--management", "10m"} {
		if !strings.Contains(unseen, text) {
			t.Errorf("no %q in %q", text, unseen)
		}
	}
}
