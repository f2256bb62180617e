package nsq

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestConnectionThatIsCutComesBack(t *testing.T) {
	l, p := through(t, "reconnect-wait=10ms")
	brokertest.CutsComeBack(t, l, p)
}

func TestRequestFailsWhileDisconnected(t *testing.T) {
	l, p := through(t, "reconnect-wait=10ms")
	brokertest.RequestFailsWhileDisconnected(t, l, p, "//"+p.Addr())
}

func TestTeardownEndsABlockedRequest(t *testing.T) {
	l, p := through(t, "write-timeout=1m")
	p.Set(relay.State{Deaf: true, Mute: true})
	brokertest.TeardownEndsABlockedRequest(t, l)
}

func TestABrokerThatIsSilentIsGivenUp(t *testing.T) {
	l, p := through(t, "heartbeat-interval=1s&reconnect-wait=10ms")
	brokertest.ASilentBrokerIsGivenUp(t, l, p)
}

func TestASilentConnectionStays(t *testing.T) {
	brokertest.AnIdleBrokerIsNot(t, running(t, "heartbeat-interval=1s"), 4*time.Second)
}

// A server that says nothing, to us or to the client library, does not hold up Setup.
func TestContextEndsASetupThatHangs(t *testing.T) {
	for silent := range 3 {
		f, p := behind(t, "")
		p.OnConnect(func(number int) {
			if number == silent+1 {
				p.Set(relay.State{Mute: true})
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		begun := time.Now()
		l := requestertest.NewLink(t, f, 0)
		err := l.Setup(ctx)
		cancel()
		if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || took > 4*time.Second {
			t.Errorf("connection %d says nothing: %v after %v", silent, err, took)
		}
		p.Set(relay.State{})
	}
}

func TestTeardownWhileTheBrokerIsDown(t *testing.T) {
	l, p := through(t, "reconnect-wait=10ms")
	brokertest.TeardownWhileTheBrokerIsDown(t, l, p)
}

func TestOutagesLeaveNoGoroutines(t *testing.T) {
	f, p := behind(t, "reconnect-wait=10ms")
	brokertest.OutagesLeaveNoGoroutines(t, f, p)
}

// A message that is too large fails by itself, says why, and the connection comes back.
func TestAMessageThatIsTooLarge(t *testing.T) {
	l := requestertest.Connect(t, running(t, "reconnect-wait=10ms"), 0)
	l.Send(t, requestertest.Payload(0, 0, 9<<20))
	l.WantFailure(t, "--max-msg-size")
	l.WantEvents(t, "reconnected after")
	l.Drain(t)
	l.RoundTrip(t, requestertest.Payload(0, 1, 100))
}

// A proxy that repeats what nsqd says costs the connection, and not the process.
func TestAnAnswerToNothingLosesTheConnection(t *testing.T) {
	l, p := through(t, "reconnect-wait=10ms")
	l.RoundTrip(t, requestertest.Payload(0, 0, 100))
	var doubled atomic.Bool
	p.Pass(func(piece relay.Piece) []byte {
		if piece.Up || !bytes.HasSuffix(piece.Bytes, []byte("OK")) || doubled.Swap(true) {
			return piece.Bytes
		}
		return append(piece.Bytes, piece.Bytes...)
	})
	l.Send(t, requestertest.Payload(0, 1, 100))
	l.WantEvents(t, errUnasked.Error(), "reconnected after")
	l.Drain(t)
	l.RoundTrip(t, requestertest.Payload(0, 2, 100))
}
