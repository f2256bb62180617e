package brokers_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/requester"
)

// Each broker says who leads, by the addresses of its target. With clusters:
//
//	deploy/local/with --nodes 3 nats redis rabbitmq kafka -- go test ./brokers -run Leads
func TestLeads(t *testing.T) {
	for _, c := range []struct{ variable, asked, alone, cluster string }{
		{"NATS", "", "stream=file", "stream=file&replicas=3"},
		{"REDIS", "", "stream=read", "stream=read"},
		{"RABBITMQ", "RABBITMQ_MANAGEMENT", "queue-type=quorum&durable=true", "queue-type=quorum&durable=true"},
		{"RABBITMQ_STREAM", "RABBITMQ_MANAGEMENT", "", ""},
		{"KAFKA", "", "", "replication-factor=3"},
	} {
		t.Run(c.variable, func(t *testing.T) {
			t.Parallel()
			raw, _, _ := strings.Cut(os.Getenv("BROKERBENCH_"+c.variable+"_URL"), "?") // options has the API
			if raw == "" {
				t.Skip("no broker")
			}
			of := brokersOf(t, raw)
			copies, options, nodes := 1, c.alone, of.Nodes()
			if all := os.Getenv("BROKERBENCH_" + c.variable + "_NODES_URL"); all != "" { // the URL has sentinels
				nodes = strings.Split(strings.TrimPrefix(all, "redis://"), ",")
			}
			if len(nodes) == 3 {
				copies, options = 3, c.cluster
			}
			if at := os.Getenv("BROKERBENCH_" + c.asked + "_URL"); c.asked != "" && at != "" {
				api, err := url.Parse(at)
				if err != nil {
					t.Fatal(err)
				}
				api.User = nil
				options += "&management=" + url.QueryEscape(api.String())
			}
			l := leadership(t, brokersOf(t, raw+"?"+strings.TrimPrefix(options, "&")), copies)
			if !slices.Contains(nodes, l.Leader) || l.Copies != copies || len(l.Followers) != copies-1 || l.InStep > copies {
				t.Errorf("got %+v, want one of %v, and %d copies", l, nodes, copies)
			}
			for _, follower := range l.Followers {
				if follower == l.Leader || !slices.Contains(nodes, follower) {
					t.Errorf("got %+v, want followers among %v", l, nodes)
				}
			}
		})
	}
}

func brokersOf(t *testing.T, raw string) brokers.Target {
	t.Helper()
	of, err := brokers.All().Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return of
}

// leadership sets up a connection, and asks until so many copies are in step, or for a while.
func leadership(t *testing.T, of brokers.Target, copies int) (l requester.Leadership) {
	t.Helper()
	f, err := of.Open("leads-" + strings.ReplaceAll(time.Now().Format("150405.000000"), ".", "-"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.New(0, requester.Replies(func([]byte) {}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := r.Setup(ctx); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Teardown(context.WithoutCancel(ctx)); err != nil {
			t.Error(err)
		}
	}()
	for ctx.Err() == nil {
		if l, err = f.(requester.LeaderFinder).Leadership(ctx, 0); err == nil && l.InStep == copies {
			return l
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%+v, %v", l, err)
	return l
}

// A target without a leader reports that before anything is set up.
func TestCoreNATSHasNoLeader(t *testing.T) {
	f, err := brokersOf(t, "nats://127.0.0.1:1").Open("x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.(requester.LeaderFinder).Leadership(t.Context(), 0); !errors.Is(err, requester.ErrNoLeader) {
		t.Error(err)
	}
}

// No server answers, and the question ends with its context.
func TestNobodyLeadsWhatIsAway(t *testing.T) {
	for _, raw := range []string{
		"nats://127.0.0.1:1,127.0.0.1:2?stream=file", "redis://127.0.0.1:1?stream=read", "amqp://127.0.0.1:1?management=http://127.0.0.1:1",
		"amqp1://127.0.0.1:1?management=http://127.0.0.1:1", "rabbitmq-stream://127.0.0.1:1?management=http://127.0.0.1:1", "kafka://127.0.0.1:1,127.0.0.1:2",
	} {
		f, err := brokersOf(t, raw).Open("x")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		begun := time.Now()
		if l, err := f.(requester.LeaderFinder).Leadership(ctx, 0); err == nil {
			t.Errorf("%s: %+v", raw, l)
		}
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%s: took %v", raw, took)
		}
		cancel()
	}
}
