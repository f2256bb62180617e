package mqtt

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/eclipse/paho.golang/packets"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestConnectionThatIsCutComesBack(t *testing.T) {
	for _, options := range []string{"", "qos=1", "qos=2&audit-session=true"} {
		t.Run(options, func(t *testing.T) {
			l, p := through(t, options+"&reconnect-wait=1ms")
			brokertest.CutsComeBack(t, l.Link, p)
		})
	}
}

func TestRequestFailsWhileDisconnected(t *testing.T) {
	l, p := through(t, "reconnect-wait=1ms")
	brokertest.RequestFailsWhileDisconnected(t, l.Link, p, "//"+p.Addr())
}

func TestContextEndsABlockedRequest(t *testing.T) {
	for _, options := range []string{"", "qos=1"} {
		l, p := through(t, options+"&reconnect-wait=1ms")
		p.Set(relay.State{Deaf: true, Mute: true})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stuck := time.AfterFunc(time.Second, cancel)
		defer stuck.Stop()
		var err error
		for seq := uint64(0); err == nil && seq < 1000; seq++ {
			err = l.Link.Request(ctx, requestertest.Payload(0, seq, 1<<20))
		}
		if err == nil || options == "" && !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v", options, err)
		}
		begun := time.Now()
		l.End(t)
		if took := time.Since(begun); took > 4*time.Second {
			t.Errorf("%q: Teardown took %v", options, took)
		}
		p.Set(relay.State{})
	}
}

func TestTeardownEndsABlockedRequest(t *testing.T) {
	l, p := through(t, "")
	p.Set(relay.State{Deaf: true, Mute: true})
	brokertest.TeardownEndsABlockedRequest(t, l.Link)
}

func TestABrokerThatIsSilentIsGivenUp(t *testing.T) {
	l, p := through(t, "keep-alive=1s&reconnect-wait=1ms")
	brokertest.ASilentBrokerIsGivenUp(t, l.Link, p)
}

// A broker that is idle because there is nothing to say is not given up.
func TestASilentConnectionStays(t *testing.T) {
	brokertest.AnIdleBrokerIsNot(t, running(t, "keep-alive=1s"), 4*time.Second)
}

func TestContextEndsASetupThatHangs(t *testing.T) {
	f, p := behind(t, "qos=1&audit-session=true")
	brokertest.ContextEndsASetupThatHangs(t, f, p, 0, 5, 20, 40)
}

func TestTeardownWhileTheBrokerIsDown(t *testing.T) {
	l, p := through(t, "reconnect-wait=1ms")
	brokertest.TeardownWhileTheBrokerIsDown(t, l.Link, p)
}

func TestOutagesLeaveNoGoroutines(t *testing.T) {
	f, p := behind(t, "reconnect-wait=1ms&qos=1")
	brokertest.OutagesLeaveNoGoroutines(t, f, p)
}

// windowOf makes the broker grant each connection a window of that many messages.
func windowOf(t *testing.T, window uint16) relay.Through {
	return func(piece relay.Piece) []byte {
		if piece.Up || piece.Before > 0 || len(piece.Bytes) == 0 {
			return piece.Bytes
		}
		var changed bytes.Buffer
		rest := bytes.NewReader(piece.Bytes)
		first, err := packets.ReadPacket(rest)
		if err != nil {
			t.Error(err)
			return piece.Bytes
		}
		first.Content.(*packets.Connack).Properties.ReceiveMaximum = &window
		_, _ = first.WriteTo(&changed)
		_, _ = rest.WriteTo(&changed)
		return changed.Bytes()
	}
}

// Messages that wait for the broker's window fail with the connection.
func TestWaitingMessagesFailWithTheConnection(t *testing.T) {
	f, p := behind(t, "qos=1&reconnect-wait=1ms")
	p.Pass(windowOf(t, 3))
	l := connected(t, f, 0)
	p.Set(relay.State{Deaf: true})
	for seq := range uint64(10) {
		l.Send(t, requestertest.Payload(0, seq, 100))
	}
	p.Refuse(true)
	p.Cut(false)
	for range 7 {
		l.WantFailure(t, "publishing")
	}
	p.Set(relay.State{})
	p.Refuse(false)
	l.WantEvents(t, "reconnected after")
	l.Drain(t)
	l.RoundTrip(t, requestertest.Payload(0, 11, 100))
}
