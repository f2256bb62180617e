package postgres

import (
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestConnectionThatIsCutComesBack(t *testing.T) {
	for _, options := range []string{"", "poll=1ms", "mode=notify"} {
		l, p := through(t, options+"&reconnect-wait=10ms")
		brokertest.CutsComeBack(t, l, p)
	}
}

func TestRequestFailsWhileDisconnected(t *testing.T) {
	l, p := through(t, "reconnect-wait=1ms")
	brokertest.RequestFailsWhileDisconnected(t, l, p, p.Addr())
}

func TestTeardownWhileTheServerIsSilent(t *testing.T) {
	l, p := through(t, "mode=notify")
	p.Set(relay.State{Deaf: true, Mute: true})
	for seq := range uint64(3) {
		l.Send(t, requestertest.Payload(0, seq, 100))
	}
	begun := time.Now()
	l.End(t)
	if took := time.Since(begun); took > 4*time.Second {
		t.Errorf("Teardown took %v", took)
	}
}

func TestAServerThatIsSilentIsGivenUp(t *testing.T) {
	for _, options := range []string{"", "mode=notify"} {
		l, p := through(t, options+"&timeout=500ms&reconnect-wait=10ms")
		brokertest.ASilentBrokerIsGivenUp(t, l, p)
	}
}

func TestASilentConnectionStays(t *testing.T) {
	for _, options := range []string{"", "mode=notify"} {
		brokertest.AnIdleBrokerIsNot(t, running(t, options+"&timeout=1s"), 4*time.Second)
	}
}

func TestContextEndsASetupThatHangs(t *testing.T) {
	f, p := behind(t, "mode=notify")
	brokertest.ContextEndsASetupThatHangs(t, f, p, 0, 5, 20, 400)
}

func TestTeardownWhileTheServerIsDown(t *testing.T) {
	l, p := through(t, "mode=notify&reconnect-wait=10ms")
	brokertest.TeardownWhileTheBrokerIsDown(t, l, p)
}

func TestOutagesLeaveNoGoroutines(t *testing.T) {
	f, p := behind(t, "reconnect-wait=10ms")
	brokertest.OutagesLeaveNoGoroutines(t, f, p)
}

// The server itself ends the connections of a run, and says why.
func TestConnectionsThatTheServerEnds(t *testing.T) {
	f := running(t, "reconnect-wait=10ms")
	l := requestertest.Connect(t, f, 0)
	execute(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"+application(f.Run)+"'")
	l.WantEvents(t, "terminating connection due to administrator command", "reconnected after")
	l.Drain(t)
	l.RoundTrip(t, requestertest.Payload(0, 1, 100))
}

// What was delivered and not committed comes again, and nothing is lost.
func TestNoMessageIsLostWithItsConnection(t *testing.T) {
	f := running(t, "reconnect-wait=10ms&send-batch=10")
	var mu sync.Mutex
	delivered := make(map[string]bool)
	acked := make(map[string]bool)
	l := requestertest.NewLink(t, f, 0)
	note := func(in map[string]bool) func([]byte) {
		return func(p []byte) {
			mu.Lock()
			defer mu.Unlock()
			in[string(p[:requester.StampSize])] = true
		}
	}
	l.Reply, l.Acked = note(delivered), note(acked)
	if err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	for seq := range uint64(2000) {
		_ = l.Request(t.Context(), requestertest.Payload(0, seq, 100)) // fails while disconnected
		if seq%200 == 100 {
			execute(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"+application(f.Run)+"'")
		}
		time.Sleep(time.Millisecond)
	}
	requestertest.Until(t, "all that is acknowledged is delivered", func() bool {
		mu.Lock()
		defer mu.Unlock()
		for stamp := range acked {
			if !delivered[stamp] {
				return false
			}
		}
		return len(acked) > 100
	})
	l.WantEvents(t, "reconnected after")
}

// A message that the server refuses fails by itself: its connection stays.
func TestAMessageThatIsRefused(t *testing.T) {
	f := running(t, "")
	l := requestertest.Connect(t, f, 0)
	execute(t, "ALTER TABLE "+quote(l.Requester.(*conn).to)+" ADD CHECK (length(payload) < 1000)")
	l.Send(t, requestertest.Payload(0, 0, 1000))
	l.WantFailure(t, "violates check constraint")
	l.RoundTrip(t, requestertest.Payload(0, 1, 999))
	if events := l.Events(); len(events) > 0 {
		t.Error(events)
	}
}
