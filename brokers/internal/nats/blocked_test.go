package nats

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// peculiar connects to a server that answers until the probe is through, and then
// does as it is told. No real one can be made to do so.
func peculiar(t testing.TB, then func(*bufio.Reader)) *requestertest.Link {
	t.Helper()
	address := brokertest.Accept(t, func(c net.Conn) {
		_, _ = io.WriteString(c, `INFO {"server_id":"S","version":"2.0.0","proto":1,"max_payload":8388608}`+"\r\n")
		r := bufio.NewReader(c)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			switch {
			case strings.HasPrefix(line, "PING"):
				_, _ = io.WriteString(c, "PONG\r\n")
			case strings.HasPrefix(line, "PUB"):
				body, _ := r.ReadString('\n')
				_, _ = io.WriteString(c, "MSG "+strings.Fields(line)[1]+" 1 5\r\n"+body)
				then(r)
				return // the socket stays open
			}
		}
	})
	return requestertest.Connect(t, openURL(t, "nats://"+address), 0)
}

// stalled connects to a server that reads nothing any more.
func stalled(t testing.TB) *requestertest.Link { return peculiar(t, func(*bufio.Reader) {}) }

func TestContextEndsABlockedRequest(t *testing.T) {
	l := stalled(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := brokertest.Jam(ctx, l, cancel)
	brokertest.WantError(t, err, "sending a message", "context canceled while the socket was blocked")
	if !errors.Is(err, context.Canceled) {
		t.Error("the cause is not kept")
	}
	if err := l.Request(ctx, requestertest.Payload(0, 0, 16)); !errors.Is(err, context.Canceled) {
		t.Errorf("the next request: %v", err)
	}
}

func TestTeardownEndsABlockedRequest(t *testing.T) {
	brokertest.TeardownEndsABlockedRequest(t, stalled(t))
}

// With the flusher, what it has not written when the context ends is cut off: so
// this holds for messages that Publish has written.
func TestRequesterStaysUsableAfterAContext(t *testing.T) {
	brokertest.StaysUsableAfterAContext(t, requestertest.Connect(t, open(t, serve(t, nil), "", "?write-buffer=1"), 0))
}

// TestRequestAllocatesNothing measures our part and nats.go's Publish, with a server that does not
// answer, so that nothing is received meanwhile.
func TestRequestAllocatesNothing(t *testing.T) {
	l := peculiar(t, func(r *bufio.Reader) { _, _ = io.Copy(io.Discard, r) })
	ctx, message := t.Context(), requestertest.Payload(0, 0, 256)
	for range 1 << 12 { // the memory of messages grows first
		if err := l.Request(ctx, message); err != nil {
			t.Fatal(err)
		}
	}
	if got := testing.AllocsPerRun(1000, func() { _ = l.Request(ctx, message) }); got > 0 {
		t.Errorf("%v allocations a request, want none", got)
	}
}

func TestSetupHonoursContext(t *testing.T) {
	brokertest.SetupHonoursContext(t, Open, "nats://%s?dial-timeout=1h")
}
