package nats

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

// peculiar connects to a server that answers until the probe is through, and then
// does as it is told. No real one can be made to do so.
func peculiar(t testing.TB, then func(*bufio.Reader)) *brokertest.Link {
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
	return brokertest.Connect(t, openURL(t, "nats://"+address), 0)
}

// stalled connects to a server that reads nothing any more.
func stalled(t testing.TB) *brokertest.Link { return peculiar(t, func(*bufio.Reader) {}) }

func TestContextEndsABlockedRequest(t *testing.T) {
	brokertest.ContextEndsABlockedRequest(t, stalled(t))
}

func TestTeardownEndsABlockedRequest(t *testing.T) {
	brokertest.TeardownEndsABlockedRequest(t, stalled(t))
}

// With the flusher, what it has not written when the context ends is cut off: so
// this holds for messages that Publish has written.
func TestRequesterStaysUsableAfterAContext(t *testing.T) {
	brokertest.StaysUsableAfterAContext(t, brokertest.Connect(t, open(t, serve(t, nil), "", "?write-buffer=1"), 0))
}

// TestRequestAllocatesNothing measures our part and nats.go's Publish.
func TestRequestAllocatesNothing(t *testing.T) {
	brokertest.RequestAllocatesNothing(t, peculiar(t, func(r *bufio.Reader) { _, _ = io.Copy(io.Discard, r) }))
}

func TestSetupHonoursContext(t *testing.T) {
	brokertest.SetupHonoursContext(t, Open, "nats://%s?dial-timeout=1h")
}
