package redis

import (
	"bufio"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester/requestertest"
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
func peculiar(t testing.TB, then func(publisher stream)) *requestertest.Link {
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
	return requestertest.Connect(t, openURL(t, "redis://"+address), 0)
}

// TestTeardownWhileTheServerDoesNotRead wants Request to go on while the publisher is blocked,
// and Teardown to end it.
func TestTeardownWhileTheServerDoesNotRead(t *testing.T) {
	l := peculiar(t, func(stream) {})
	for seq := range uint64(20) {
		l.Send(t, requestertest.Payload(0, seq, 1<<20)) // more than fits into the socket's buffers
	}
	l.End(t)
}

// TestQueueIsBounded wants Request to refuse messages when too many bytes wait.
func TestQueueIsBounded(t *testing.T) {
	l, sent := peculiar(t, func(stream) {}), 0
	big := requestertest.Payload(0, 0, 16<<20)
	err := error(nil)
	for ; err == nil && sent < 20; sent++ {
		err = l.Request(t.Context(), big)
	}
	if !errors.Is(err, transport.ErrQueueFull) {
		t.Errorf("%v after %d messages of 16 MiB", err, sent)
	}
}

func TestRequesterStaysUsableAfterAContext(t *testing.T) {
	targets(t, func(t *testing.T, url string) {
		brokertest.StaysUsableAfterAContext(t, requestertest.Connect(t, openURL(t, url), 0))
	})
}

func TestSetupHonoursContext(t *testing.T) {
	for _, scheme := range []string{"redis", "rediss"} {
		brokertest.SetupHonoursContext(t, Open, scheme+"://%s?dial-timeout=1h&setup-timeout=1h")
	}
}

// TestReconnectAfterACut wants a publisher whose socket broke to be connected again, with TLS
// and without.
func TestReconnectAfterACut(t *testing.T) {
	targets(t, func(t *testing.T, url string) {
		l := requestertest.Connect(t, openURL(t, url), 0)
		l.RoundTrip(t, requestertest.Payload(0, 0, 16))
		l.Requester.(*conn).up.Do(func(raw net.Conn) { _ = raw.Close() })
		_ = l.Request(t.Context(), requestertest.Payload(0, 1, 16)) // it may know already
		l.WantEvents(t, "publisher disconnected", "publisher reconnected")
		l.GoesOn(t)
	})
}

// TestUnexpectedReplies wants a publisher to be connected again when what it reads cannot be
// the reply to PUBLISH.
func TestUnexpectedReplies(t *testing.T) {
	for _, reply := range []string{"+OK\r\n", "\r\n"} {
		l := peculiar(t, func(s stream) {
			_, _ = s.ReadString('\n')
			s.say(reply)
		})
		_ = l.Request(t.Context(), requestertest.Payload(0, 0, 16))
		l.WantEvents(t, "publisher disconnected: ")
		l.End(t)
	}
}

// TestEachReplyIsOfItsMessage has a server refuse some of the messages that share a pipeline,
// and answer another with what is no reply to PUBLISH.
func TestEachReplyIsOfItsMessage(t *testing.T) {
	var served atomic.Bool
	l := peculiar(t, func(s stream) {
		if served.Swap(true) {
			return
		}
		for _, reply := range []string{":1", "-OOM no", ":0", ":1", "-OOM no", "+OK"} {
			_, _ = s.command()
			s.say(reply + "\r\n")
		}
	})
	p := l.Requester.(*conn).sender.Load()
	send := func(from, to uint64) {
		for seq := from; seq < to; seq++ {
			if err := p.queue.Add(requestertest.Payload(0, seq, 16)); err != nil {
				t.Fatal(err)
			}
		}
	}
	send(0, 4)
	first, second := l.WantFailure(t, "OOM"), l.WantFailure(t, "no subscriber")
	send(4, 6)
	third := l.WantFailure(t, "OOM")
	if first.Stamp.Seq != 1 || second.Stamp.Seq != 2 || third.Stamp.Seq != 4 {
		t.Errorf("messages %d, %d and %d failed, want 1, 2 and 4", first.Stamp.Seq, second.Stamp.Seq, third.Stamp.Seq)
	}
	l.WantEvents(t, "publisher disconnected: ")
}
