package rabbitmq

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
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
		"/api/queues/v%2F1": `[{"name":"orders"}, {"name":"brokerbench.20261122t100000-0000000a-0.0","consumers":0,"idle_since":"2026-11-22 10:00:00"},
			{"name":"brokerbench.20261122t100000-0000000a-0.1","type":"quorum","consumers":1}, {"name":"brokerbench.20261122t100000-0000000a-0.7","type":"stream"}, {"name":"brokerbench.20261122t100000-0000000b-0.0","consumers":0,"idle_since":"2026-11-22T10:00:00.000+00:00"}]`,
		"/api/exchanges/v%2F1": `[{"name":""},{"name":"brokerbench.20261122t100000-0000000a-0.0"},{"name":"brokerbench.20261122t100000-0000000a-0.2"},{"name":"brokerbench.20261122t100000-0000000c-0.2"}]`,
	})
	f := factory(t, "amqp://bench:"+brokertest.Secret+"@127.0.0.1:1/v%2F1", "")
	got, unseen, err := f.Find(t.Context(), requester.LeftoverQuery{Management: api + "/"})
	if err != nil || unseen != "" || len(got) != 4 {
		t.Fatal(got, unseen, err)
	}
	idle := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	want := []requester.Leftover{
		{Kind: "queue", Name: "brokerbench.20261122t100000-0000000a-0.0", Used: idle},
		{Kind: "queue", Name: "brokerbench.20261122t100000-0000000a-0.1", Busy: management.Consumed(1)},
		{Kind: "queue", Name: "brokerbench.20261122t100000-0000000b-0.0", Used: idle},
		{Kind: "exchange", Name: "brokerbench.20261122t100000-0000000c-0.2"}, // those of a run with queues go with them
	}
	for i, w := range want {
		if g := got[i]; g.Kind != w.Kind || g.Name != w.Name || g.Busy != w.Busy || !w.Used.IsZero() && !g.Used.Equal(w.Used) {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
	if got, _, err := f.Find(t.Context(), requester.LeftoverQuery{Run: "20261122t100000-0000000b", Management: api}); err != nil || len(got) != 1 {
		t.Error(got, err)
	}
}

func TestWhatCannotBeListedIsSaid(t *testing.T) {
	_, unseen, err := running(t, "").Find(t.Context(), requester.LeftoverQuery{Management: "http://" + brokertest.Refusing(t)})
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, unseen, "connection refused", "--only", "--management", "10m")
}

// A user cannot know what was not asked for, unless it is said.
func TestWithoutTheManagementAPIWhatWasAskedForIsSaid(t *testing.T) {
	const run = "20200101t000000-0000abcd"
	f := running(t, "")
	queue := declared(t, fmt.Sprintf("brokerbench.%s-200.64", run))
	api := "http://" + brokertest.Refusing(t)
	for of, texts := range map[string][]string{
		run:          {"cells 0 to 7", "connections 0 to 63 at least", "--management", "connection refused"},
		run + "-200": {"connections 0 to 63 of cell " + run + "-200"},
	} {
		things, unseen, err := f.Find(t.Context(), requester.LeftoverQuery{Run: of, Management: api})
		if err != nil || len(things) > 0 {
			t.Fatal(things, err)
		}
		wantTexts(t, unseen, texts...)
	}
	declared(t, fmt.Sprintf("brokerbench.%s-200.0", run))
	things, unseen, err := f.Find(t.Context(), requester.LeftoverQuery{Run: run + "-200", Management: api})
	if err != nil || len(things) != 2 || things[1].Name != queue {
		t.Fatal(things, err)
	}
	wantTexts(t, unseen, "connections 0 to 128")
}

func TestAQueueThatIsTakenIntoUseIsKept(t *testing.T) {
	f := running(t, "")
	queue := declared(t, "brokerbench.20200101t000000-0000abce-0.0")
	channel := channel(t)
	if _, err := channel.Consume(queue, "", true, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	if errs := f.Remove(t.Context(), []requester.Leftover{{Kind: "queue", Name: queue}}); !errors.Is(errs[0], requester.ErrInUse) {
		t.Error(errs[0])
	}
}

func wantTexts(t *testing.T, got string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(got, text) {
			t.Errorf("no %q in %q", text, got)
		}
	}
}

// channel opens a channel to the running broker.
func channel(t *testing.T) *amqp.Channel {
	t.Helper()
	conn, err := amqp.Dial(brokertest.URL(t, "RABBITMQ"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	channel, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	return channel
}

// declared declares a durable queue, which the end of the test deletes.
func declared(t *testing.T, name string) string {
	t.Helper()
	channel := channel(t)
	if _, err := channel.QueueDeclare(name, true, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = channel.QueueDelete(name, false, false, false) })
	return name
}
