package nats

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// serveStreams starts a broker with JetStream.
func serveStreams(t testing.TB, configure func(*server.Options)) *broker {
	t.Helper()
	dir := t.TempDir()
	return serve(t, func(o *server.Options) {
		o.JetStream, o.StoreDir = true, dir
		if configure != nil {
			configure(o)
		}
	})
}

// modes are the options of streams.
var modes = []string{"?stream=memory", "?stream=file", "?stream=file&consumer=pull", "?stream=file&consumer=push"}

func TestStreamConformance(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) { requestertest.Run(t, open(t, serveStreams(t, nil), "", mode)) })
	}
}

// streams returns how many the server has.
func (b *broker) streams(t testing.TB) int {
	t.Helper()
	z, err := b.Jsz(&server.JSzOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return z.Streams
}

func TestTeardownRemovesTheStream(t *testing.T) {
	b := serveStreams(t, nil)
	requestertest.TeardownLeavesNothing(t, open(t, b, "", "?stream=file"), func(*requestertest.Link) bool {
		return b.streams(t) == 0 && b.NumClients() == 0
	})
}

// The last of several connections removes it, and no other.
func TestTheLastConnectionRemovesTheStream(t *testing.T) {
	b := serveStreams(t, nil)
	f := open(t, b, "", "?stream=memory")
	first, second := requestertest.Connect(t, f, 0), requestertest.Connect(t, f, 1)
	first.End(t)
	second.RoundTrips(t, 100)
	if n := b.streams(t); n != 1 {
		t.Fatalf("%d streams", n)
	}
	second.End(t)
	if n := b.streams(t); n != 0 {
		t.Errorf("%d streams are left", n)
	}
}

// A message that the stream refuses has failed, with the server's reason.
func TestARefusedMessageHasFailed(t *testing.T) {
	b := serveStreams(t, nil)
	f := open(t, b, "", "?stream=memory")
	l := requestertest.NewLink(t, f, 0)
	if err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	err := f.withJetStream(t.Context(), func(js jetstream.JetStream) error {
		config := f.streamConfig()
		config.MaxMsgs = 1
		_, err := js.UpdateStream(t.Context(), config)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	l.Send(t, requestertest.Payload(0, 7, 100))
	l.Send(t, requestertest.Payload(0, 8, 100))
	brokertest.WantFault(t, l.WantFailure(t).Cause, "publishing a message", "maximum messages exceeded")
}

func TestStreamSetupExplains(t *testing.T) {
	plain := serve(t, nil)
	single := serveStreams(t, nil)
	brokertest.SetupExplains(t, Open, map[string][]string{
		"no JetStream": {plain.url("", "?stream=file"), "asking for JetStream", "enable JetStream"},
		"no cluster":   {single.url("", "?stream=file&replicas=3"), "creating stream brokerbench_", "option replicas"},
	})
}

// A cluster whose leader changes drops requests without an answer: each is sent again.
func TestAnUnansweredRequestIsSentAgain(t *testing.T) {
	t.Parallel()
	b := serve(t, nil)
	cluster, err := nats.Connect(b.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	requests := make(chan string, 8)
	last := ""
	_, err = cluster.Subscribe("$JS.API.>", func(m *nats.Msg) {
		requests <- m.Subject
		if m.Subject == last {
			_ = m.Respond([]byte(`{"config": {"name": "s"}}`))
		}
		last = m.Subject
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.Flush(); err != nil {
		t.Fatal(err)
	}
	f := open(t, b, "", "?stream=file")
	err = f.withJetStream(t.Context(), func(js jetstream.JetStream) error { return create(t.Context(), js, f.streamConfig()) })
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	for range 4 {
		asked = append(asked, <-requests)
	}
	create := "$JS.API.STREAM.CREATE." + f.streamConfig().Name
	if want := []string{"$JS.API.INFO", "$JS.API.INFO", create, create}; !slices.Equal(asked, want) || len(requests) > 0 {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

// Who is never answered is told so in time.
func TestAskingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		times := 0
		err := ask(t.Context(), func(ctx context.Context) error {
			times++
			<-ctx.Done()
			return ctx.Err()
		})
		if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || took != streamLimit || times != 3 {
			t.Errorf("%v after %v and %d times", err, took, times)
		}
	})
}

func TestConnectionsKeepOrder(t *testing.T) {
	brokertest.KeepsOrder(t, open(t, serveStreams(t, nil), "", modes[0]))
}

func TestWhatIsAcknowledged(t *testing.T) {
	for _, options := range modes {
		brokertest.WantAcknowledges(t, open(t, serveStreams(t, nil), "", options), true)
	}
}

// A message whose acknowledgement does not arrive is delivered again, and each time counts.
func TestRedeliveriesAreReplies(t *testing.T) {
	for _, consumer := range []string{consumerPull, consumerPush} {
		b := serveStreams(t, func(o *server.Options) {
			deaf := &server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"$JS.ACK.>"}}}
			o.Users = []*server.User{{Username: "deaf", Password: "x", Permissions: deaf}}
		})
		f := open(t, b, "deaf:x@", "?stream=memory&consumer="+consumer)
		l := requestertest.Connect(t, f, 0)
		err := f.withJetStream(t.Context(), func(js jetstream.JetStream) error {
			stream, err := js.Stream(t.Context(), f.stream.Name)
			if err != nil {
				return err
			}
			for info := range stream.ListConsumers(t.Context()).Info() {
				config := info.Config
				config.AckWait = 50 * time.Millisecond
				if config.DeliverSubject == "" {
					_, err = stream.UpdateConsumer(t.Context(), config)
				} else {
					_, err = js.UpdatePushConsumer(t.Context(), f.stream.Name, config)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		payload := requestertest.Payload(0, 1, 100)
		l.Send(t, payload)
		for range 3 {
			l.Want(t, payload)
		}
	}
}

// A stream that someone has changed so that it drops messages keeps none: the level is withdrawn.
func TestAStreamThatDropsMessagesBacksNothing(t *testing.T) {
	for name, change := range map[string]func(*jetstream.StreamConfig){
		"age":     func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour },
		"number":  func(c *jetstream.StreamConfig) { c.MaxMsgs, c.Discard = 10, jetstream.DiscardOld },
		"bytes":   func(c *jetstream.StreamConfig) { c.MaxBytes, c.Discard = 1<<20, jetstream.DiscardOld },
		"subject": func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 10 },
		"":        func(c *jetstream.StreamConfig) { c.MaxMsgs = 10 }, // it refuses more
	} {
		b := serveStreams(t, nil)
		f := open(t, b, "", "?stream=file&durability=process&durability-check=false")
		requestertest.Connect(t, f, 0)
		if err := f.withJetStream(t.Context(), func(js jetstream.JetStream) error {
			config := f.streamConfig()
			change(&config)
			_, err := js.UpdateStream(t.Context(), config)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		d, err := f.Describe(t.Context())
		if err != nil || d.Durability.Level.AtLeast(requester.Process) != (name == "") {
			t.Errorf("%s: %+v, %v", name, d.Durability, err)
		}
	}
}
