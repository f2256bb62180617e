package rabbitstream

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/amqp"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// A new version of the client may keep its sockets elsewhere.
func TestSocketsOfTheClientAreFound(t *testing.T) {
	for _, name := range []string{"RABBITMQ_STREAM", "RABBITMQ_STREAM_TLS"} {
		f := brokertest.Opened(t, Open, brokertest.URL(t, name), "")
		l := connected(t, f, 0)
		current, _ := l.Current()
		if n := len(current.cutOff); n != 2 {
			t.Errorf("%s: %d sockets, want 2", name, n)
		}
	}
	if _, err := socketOf(new(struct{ client int })); err == nil {
		t.Error("a socket where there is none")
	}
}

func TestConnectionThatIsCutComesBack(t *testing.T) {
	for _, options := range kinds {
		t.Run(options, func(t *testing.T) {
			f, p := behind(t, "reconnect-wait=1ms&"+options)
			brokertest.CutsComeBack(t, requestertest.Connect(t, f, 0), p)
		})
	}
}

// Messages that are confirmed while there is no consumer are delivered when it is back.
func TestConsumerGoesOnWhereItWas(t *testing.T) {
	f, p := behind(t, "reconnect-wait=1ms")
	l := connected(t, f, 0)
	l.RoundTrip(t, requestertest.Payload(0, 0, 100))
	brokertest.CutOff(t, l.Link, p, "disconnected")
	l.WantEvents(t, "reconnecting")
	brokertest.WantError(t, l.Link.Request(t.Context(), requestertest.Payload(0, 1, 100)), "publishing", p.Addr())
	direct := running(t, "")
	direct.broker.Run = f.broker.Run
	other, err := direct.connect(t.Context(), 0, direct.stream(0), source{stream: direct.stream(0), from: stream.OffsetSpecification{}.Next(), take: func(stream.ConsumerContext, *amqp.Message) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(nil)
	if err := other.Send(requestertest.Payload(0, 2, 100)); err != nil {
		t.Fatal(err)
	}
	<-other.confirms
	p.Refuse(false)
	l.Want(t, requestertest.Payload(0, 2, 100))
	l.WantEvents(t, "reconnected after")
}

func TestContextEndsASetupThatHangs(t *testing.T) {
	f, p := behind(t, "")
	p.Set(relay.State{Deaf: true, Mute: true})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	err := requestertest.NewLink(t, f, 0).Setup(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) > 5*time.Second {
		t.Errorf("Setup: %v after %v", err, time.Since(begun))
	}
	brokertest.WantFault(t, err, "no answer in time")
}

// hang sends until the broker, which does not read, blocks a request.
func hang(ctx context.Context, t testing.TB, l tester) <-chan error {
	t.Helper()
	returned := make(chan error, 1)
	sent := make(chan struct{}, 10_000)
	go func() {
		for seq := uint64(0); ; seq++ {
			if err := l.Link.Request(ctx, requestertest.Payload(0, seq, 1<<20)); err != nil {
				returned <- err
				return
			}
			sent <- struct{}{}
		}
	}()
	for {
		select {
		case <-sent:
		case <-time.After(500 * time.Millisecond):
			return returned
		}
	}
}

func TestContextEndsARequestThatHangs(t *testing.T) {
	for _, options := range kinds {
		f, p := behind(t, "reconnect-wait=1ms&"+options)
		l := connected(t, f, 0)
		ctx, cancel := context.WithCancel(t.Context())
		p.Set(relay.State{Deaf: true, Mute: true})
		returned := hang(ctx, t, l)
		cancel()
		if err := <-returned; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: Request: %v, want %v", options, err, context.Canceled)
		}
		p.Set(relay.State{})
		l.WantEvents(t, "reconnected after")
	}
}

func TestTeardownEndsARequestThatHangs(t *testing.T) {
	f, p := behind(t, "")
	l := connected(t, f, 0)
	p.Set(relay.State{Deaf: true, Mute: true})
	returned := hang(t.Context(), t, l)
	ended := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	go func() { ended <- l.Teardown(ctx) }()
	if err := <-returned; err == nil {
		t.Error("Request: no error")
	}
	brokertest.WantFault(t, <-ended, "removing stream", "no answer in time")
	if left := l.factory.Left(); len(left) != 1 || left[0] != "stream "+f.stream(0) {
		t.Errorf("left %v", left)
	}
	p.Set(relay.State{})
}

func TestTeardownSaysThatAStreamIsLeft(t *testing.T) {
	f, p := behind(t, "reconnect-wait=1ms")
	l := connected(t, f, 0)
	brokertest.CutOff(t, l.Link, p, "disconnected")
	brokertest.WantFault(t, l.TryEnd(), "removing stream "+f.stream(0))
	if len(l.factory.Left()) != 1 {
		t.Error("nothing is said to be left")
	}
	p.Refuse(false)
	l.End(t)
	if there(t, f.stream(0)) || len(l.factory.Left()) > 0 {
		t.Error("the stream is left")
	}
}

func TestAStreamThatIsDeletedIsSaid(t *testing.T) {
	l := connected(t, running(t, "reconnect-wait=1ms"), 0)
	do(t, func(env *stream.Environment) error { return env.DeleteStream(l.factory.stream(0)) })
	l.WantEvents(t, "not available", "Stream Does Not Exist")
	requestertest.Until(t, "what to do", func() bool {
		err := l.Link.Request(t.Context(), requestertest.Payload(0, 0, 100))
		return err != nil && strings.Contains(err.Error(), "deleted the stream")
	})
}

func TestOutagesLeaveNoGoroutines(t *testing.T) {
	f, p := behind(t, "reconnect-wait=1ms")
	connected(t, f, 7).End(t)
	brokertest.OutagesLeaveNoGoroutines(t, f, p)
}
