package redis

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

// A stream is a server's end of a connection.
type stream struct{ *bufio.ReadWriter }

// command reads one command: *<number of words>, and for each $<its size> and itself.
func (s stream) command() (words []string, err error) {
	head, err := s.ReadString('\n')
	n, _ := strconv.Atoi(strings.Trim(head, "*\r\n"))
	for range n {
		_, _ = s.ReadString('\n')
		word, _ := s.ReadString('\n')
		words = append(words, strings.TrimSpace(word))
	}
	return words, err
}

func (s stream) say(text string) {
	_, _ = s.WriteString(text)
	_ = s.Flush()
}

// peculiar connects to a server that answers until the probe is through, and then
// does as it is told with the connection that publishes. No real one can be made
// to do so.
func peculiar(t testing.TB, then func(publisher stream)) *brokertest.Link {
	t.Helper()
	var mu sync.Mutex
	var subscriber stream
	address := brokertest.Accept(t, func(c net.Conn) {
		s := stream{bufio.NewReadWriter(bufio.NewReader(c), bufio.NewWriter(c))}
		for {
			words, err := s.command()
			if err != nil {
				return
			}
			switch strings.ToLower(words[0]) {
			case "subscribe":
				mu.Lock()
				subscriber = s
				s.say("*3\r\n$9\r\nsubscribe\r\n$" + strconv.Itoa(len(words[1])) + "\r\n" + words[1] + "\r\n:1\r\n")
				mu.Unlock()
			case "publish":
				mu.Lock()
				subscriber.say("*3\r\n$7\r\nmessage\r\n$" + strconv.Itoa(len(words[1])) + "\r\n" + words[1] + "\r\n$5\r\nprobe\r\n")
				mu.Unlock()
				s.say(":1\r\n")
				then(s)
				return // the socket stays open
			case "client", "select":
				s.say("+OK\r\n")
			case "ping":
				s.say("+PONG\r\n")
			default:
				s.say("-ERR unknown command\r\n")
			}
		}
	})
	return brokertest.Connect(t, openURL(t, "redis://"+address), 0)
}

// stalled connects to a server that reads nothing any more.
func stalled(t testing.TB) *brokertest.Link { return peculiar(t, func(stream) {}) }

func TestContextEndsABlockedRequest(t *testing.T) {
	brokertest.ContextEndsABlockedRequest(t, stalled(t))
}

func TestTeardownEndsABlockedRequest(t *testing.T) {
	brokertest.TeardownEndsABlockedRequest(t, stalled(t))
}

func TestRequesterStaysUsableAfterAContext(t *testing.T) {
	targets(t, func(t *testing.T, url string) {
		brokertest.StaysUsableAfterAContext(t, brokertest.Connect(t, openURL(t, url), 0))
	})
}

func TestSetupHonoursContext(t *testing.T) {
	for _, scheme := range []string{"redis", "rediss"} {
		brokertest.SetupHonoursContext(t, Open, scheme+"://%s?dial-timeout=1h&setup-timeout=1h")
	}
}

// TestReconnectAfterACut wants a publisher whose write was cut off to be
// connected anew, with TLS and without.
func TestReconnectAfterACut(t *testing.T) {
	targets(t, func(t *testing.T, url string) {
		l := brokertest.Connect(t, openURL(t, url), 0)
		l.RoundTrip(t, brokertest.Payload(0, 0, 16)) // its context counts from now on
		up := l.Requester.(*conn).up
		up.cut(up.ctx)
		brokertest.WantError(t, l.Request(t.Context(), brokertest.Payload(0, 1, 16)), "server is away")
		l.GoesOn(t)
	})
}

// TestRepliesThatAreNone wants a publisher to be connected anew when what it reads
// cannot be the reply to PUBLISH.
func TestRepliesThatAreNone(t *testing.T) {
	for _, reply := range []string{":1\r\n:1\r\n", "+OK\r\n", "\r\n"} {
		l := peculiar(t, func(s stream) {
			_, _ = s.ReadString('\n')
			s.say(reply)
		})
		_ = l.Request(t.Context(), brokertest.Payload(0, 0, 16))
		l.WantEvents(t, "publisher disconnected: ")
		l.End(t)
	}
}

// TestRequestAllocatesNothing measures our part.
func TestRequestAllocatesNothing(t *testing.T) {
	brokertest.RequestAllocatesNothing(t, peculiar(t, func(s stream) { _, _ = io.Copy(io.Discard, s) }))
}

func TestStampsAllocateNothing(t *testing.T) {
	var s stamps
	message := brokertest.Payload(0, 0, 256)
	for range 1 << 10 {
		s.push(message)
	}
	if got := testing.AllocsPerRun(1000, func() { s.push(message); s.pop() }); got > 0 {
		t.Errorf("%v allocations, want none", got)
	}
}
