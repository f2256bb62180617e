package mqtt

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/internal/proxy"
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
	p.Refuse(true)
	p.Cut()
	tries := p.Accepted()
	brokertest.Until(t, "a few attempts", func() bool { return p.Accepted() > tries+20 })
	if events := l.Events(); len(events) > 6 {
		t.Errorf("an event for each attempt: %v", events)
	}
	brokertest.WantError(t, l.Request(t.Context(), brokertest.Payload(0, 0, 100)), "publishing", "shaking hands")
	p.Refuse(false)
	l.WantEvents(t, "reconnected after")
	l.RoundTrip(t, brokertest.Payload(0, 1, 100))
}

func TestContextEndsABlockedRequest(t *testing.T) {
	for _, options := range []string{"", "qos=1"} {
		l, p := through(t, options+"&reconnect-wait=1ms")
		p.Freeze(true)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stuck := time.AfterFunc(time.Second, cancel)
		defer stuck.Stop()
		var err error
		for seq := uint64(0); err == nil && seq < 1000; seq++ {
			err = l.Request(ctx, brokertest.Payload(0, seq, 1<<20))
		}
		if err == nil || options == "" && !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v", options, err)
		}
		begun := time.Now()
		l.End(t)
		if took := time.Since(begun); took > 2*closeTimeout {
			t.Errorf("%q: Teardown took %v", options, took)
		}
		p.Freeze(false)
	}
}

func TestTeardownEndsABlockedRequest(t *testing.T) {
	l, p := through(t, "")
	p.Freeze(true)
	brokertest.TeardownEndsABlockedRequest(t, l.Link)
}

func TestABrokerThatIsSilentIsGivenUp(t *testing.T) {
	l, p := through(t, "keep-alive=1s&reconnect-wait=1ms")
	p.Freeze(true)
	l.WantEvents(t, "disconnected")
	p.Freeze(false)
	l.WantEvents(t, "reconnected after")
	l.Drain(t)
}

// A broker that is quiet because there is nothing to say is not given up.
func TestASilentConnectionStays(t *testing.T) {
	l := connected(t, running(t, "keep-alive=1s"), 0)
	time.Sleep(4 * time.Second)
	l.RoundTrip(t, brokertest.Payload(0, 0, 100))
	if l.Texts() != "" {
		t.Errorf("events %s", l.Texts())
	}
}

func TestContextEndsASetupThatHangs(t *testing.T) {
	for _, upTo := range []int64{0, 5, 20, 40} { // bytes of what the broker says
		f, p := behind(t, "qos=1&audit-session=true")
		p.Pass(func(piece proxy.Piece) []byte {
			if !piece.Up && piece.Before+int64(len(piece.Bytes)) > upTo {
				return nil
			}
			return piece.Bytes
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		begun := time.Now()
		err := newTester(t, f, 0).Setup(ctx)
		cancel()
		if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || took > 4*time.Second {
			t.Errorf("after %d B: %v after %v", upTo, err, took)
		}
		p.Pass(nil)
	}
}

func TestTeardownWhileTheBrokerIsDown(t *testing.T) {
	l, p := through(t, "reconnect-wait=1ms")
	p.Refuse(true)
	p.Cut()
	l.WantEvents(t, "reconnecting")
	if err := l.TryEnd(); err != nil {
		t.Error(err)
	}
	brokertest.WantError(t, l.Request(t.Context(), brokertest.Payload(0, 0, 100)), "torn down")
}

func TestOutagesLeaveNoGoroutines(t *testing.T) {
	f, p := behind(t, "reconnect-wait=1ms&qos=1")
	brokertest.OutagesLeaveNoGoroutines(t, f, p)
}

// What waits for the broker's window fails with the connection.
func TestWhatWaitsFailsWithTheConnection(t *testing.T) {
	l, p := through(t, "qos=1&reconnect-wait=1ms")
	s := l.link.Load().up.session
	s.mu.Lock()
	s.window = 3
	s.mu.Unlock()
	p.Deafen(true)
	for seq := range uint64(10) {
		l.Send(t, brokertest.Payload(0, seq, 100))
	}
	p.Refuse(true)
	p.Cut()
	for range 7 {
		l.WantFailure(t, "publishing")
	}
	p.Deafen(false)
	p.Refuse(false)
	l.WantEvents(t, "reconnected after")
	for len(l.Failures) > 0 {
		<-l.Failures
	}
	l.RoundTrip(t, brokertest.Payload(0, 11, 100))
}
