package redis

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

// A stream is a server's end of a connection.
type stream struct{ *bufio.ReadWriter }

// command reads one command.
func (s stream) command() (words []string, err error) {
	n, err := s.number('*')
	for range n {
		var size int
		if size, err = s.number('$'); err != nil {
			return nil, err
		}
		word := make([]byte, size+2)
		if _, err = io.ReadFull(s, word); err != nil {
			return nil, err
		}
		words = append(words, string(word[:size]))
	}
	return words, err
}

func (s stream) number(kind byte) (int, error) {
	line, err := s.ReadString('\n')
	if err != nil || line[0] != kind {
		return 0, errors.Join(err, errProtocol)
	}
	return strconv.Atoi(strings.TrimSpace(line[1:]))
}

func (s stream) say(text string) {
	_, _ = s.WriteString(text)
	_ = s.Flush()
}

// accept serves each connection, and closes them all at the end of the test.
func accept(t testing.TB, serve func(stream)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all []net.Conn
	var served sync.WaitGroup
	served.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			all = append(all, c)
			mu.Unlock()
			served.Go(func() { serve(stream{bufio.NewReadWriter(bufio.NewReader(c), bufio.NewWriter(c))}) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, c := range all {
			_ = c.Close()
		}
		mu.Unlock()
		served.Wait()
	})
	return l.Addr().String()
}

// peculiar is a server that answers until the probe is through, and then does as
// it is told with the connection that publishes. No real one can be made to do so.
func peculiar(t testing.TB, then func(publisher stream)) (address string) {
	t.Helper()
	var mu sync.Mutex
	var subscriber stream
	return accept(t, func(s stream) {
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
}

// stalling reads nothing any more.
func stalling(t testing.TB) string { return peculiar(t, func(stream) {}) }

// jam requests until one blocks, and returns how that ended.
func jam(ctx context.Context, l *link, blocked func()) error {
	big := brokertest.Payload(0, 0, 1<<20)
	progress := make(chan struct{}, 1)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for {
			select {
			case _, ok := <-progress:
				if !ok {
					return
				}
			case <-time.After(300 * time.Millisecond): // 1 MiB into a socket takes 1 ms
				blocked()
				return
			}
		}
	}()
	defer func() { <-watched }()
	defer close(progress)
	for {
		if err := l.Request(ctx, big); err != nil {
			return err
		}
		select {
		case progress <- struct{}{}:
		default:
		}
	}
}

func TestContextEndsABlockedRequest(t *testing.T) {
	l := connect(t, openURL(t, "redis://"+stalling(t)), 0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := jam(ctx, l, cancel)
	wantSays(t, err, "sending a message", "context canceled while the socket was blocked")
	if !errors.Is(err, context.Canceled) {
		t.Error("the cause is not kept")
	}
	if err := l.Request(ctx, brokertest.Payload(0, 0, 16)); !errors.Is(err, context.Canceled) {
		t.Errorf("the next request: %v", err)
	}
}

func TestTeardownEndsABlockedRequest(t *testing.T) {
	l := connect(t, openURL(t, "redis://"+stalling(t)), 0)
	if err := jam(t.Context(), l, func() { l.end(t) }); err == nil {
		t.Error("no error")
	}
}

func TestRequesterStaysUsableAfterAContext(t *testing.T) {
	targets(t, func(t *testing.T, url string) {
		l := connect(t, openURL(t, url), 0)
		ctx, cancel := context.WithCancel(t.Context())
		if err := l.Request(ctx, brokertest.Payload(0, 0, 16)); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := l.Request(ctx, brokertest.Payload(0, 1, 16)); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
		<-l.replies
		l.roundTrip(t, brokertest.Payload(0, 2, 1000))
		l.roundTrip(t, brokertest.Payload(0, 3, 1000))
		if l.texts() != "" {
			t.Errorf("events %s", l.texts())
		}
	})
}

// TestReconnectAfterACut wants a publisher whose write was cut off to be
// connected anew, with TLS and without.
func TestReconnectAfterACut(t *testing.T) {
	targets(t, func(t *testing.T, url string) {
		l := connect(t, openURL(t, url), 0)
		l.roundTrip(t, brokertest.Payload(0, 0, 16)) // its context counts from now on
		l.up.cut(l.up.ctx)
		wantSays(t, l.Request(t.Context(), brokertest.Payload(0, 1, 16)), "server is away")
		l.goesOn(t)
	})
}

// TestRepliesThatAreNone wants a publisher to be connected anew when what it reads
// cannot be the reply to PUBLISH.
func TestRepliesThatAreNone(t *testing.T) {
	for _, reply := range []string{":1\r\n:1\r\n", "+OK\r\n", "\r\n"} {
		address := peculiar(t, func(s stream) {
			_, _ = s.command()
			s.say(reply)
		})
		l := connect(t, openURL(t, "redis://"+address), 0)
		_ = l.Request(t.Context(), brokertest.Payload(0, 0, 16))
		until(t, "the reply is told", func() bool { return strings.Contains(l.texts(), "publisher disconnected: ") })
		l.end(t)
	}
}

// TestRequestAllocatesNothing measures our part; the server answers nothing, so
// that nothing is received meanwhile.
func TestRequestAllocatesNothing(t *testing.T) {
	sink := peculiar(t, func(s stream) { _, _ = io.Copy(io.Discard, s) })
	l := connect(t, openURL(t, "redis://"+sink), 0)
	ctx, message := t.Context(), brokertest.Payload(0, 0, 256)
	for range 1 << 12 { // the ring of stamps grows
		if err := l.Request(ctx, message); err != nil {
			t.Fatal(err)
		}
	}
	if got := testing.AllocsPerRun(1000, func() { _ = l.Request(ctx, message) }); got > 0 {
		t.Errorf("%v allocations a request, want none", got)
	}
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
