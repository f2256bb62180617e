package nats

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

// listen accepts connections, says greeting on each, and nothing more.
func listen(t testing.TB, greeting string) (address string) {
	t.Helper()
	return accept(t, func(c net.Conn) { _, _ = io.WriteString(c, greeting) })
}

// accept serves each connection, and closes them all at the end of the test.
func accept(t testing.TB, serve func(net.Conn)) (address string) {
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
			served.Go(func() { serve(c) })
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

// stalling is a server that answers until the probe is through, and then reads
// nothing any more. No real one can be made to do so.
func stalling(t testing.TB) (address string) {
	t.Helper()
	return accept(t, func(c net.Conn) {
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
				return // the socket stays open
			}
		}
	})
}

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
	l := connect(t, openURL(t, "nats://"+stalling(t)), 0)
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
	l := connect(t, openURL(t, "nats://"+stalling(t)), 0)
	if err := jam(t.Context(), l, func() { l.end(t) }); err == nil {
		t.Error("no error")
	}
}

// With the flusher, what it has not written when the context ends is cut off: so
// this holds for messages that Publish has written.
func TestRequesterStaysUsableAfterAContext(t *testing.T) {
	l := connect(t, open(t, serve(t, nil), "", "?write-buffer=1"), 0)
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
}

// TestRequestAllocatesNothing measures our part and nats.go's Publish; the
// server is silent, so that nothing is received meanwhile.
func TestRequestAllocatesNothing(t *testing.T) {
	l := connect(t, openURL(t, "nats://"+sink(t)), 0)
	ctx, message := t.Context(), brokertest.Payload(0, 0, 256)
	if got := testing.AllocsPerRun(1000, func() { _ = l.Request(ctx, message) }); got > 0 {
		t.Errorf("%v allocations a request, want none", got)
	}
}

// sink answers the probe and then only reads.
func sink(t testing.TB) (address string) {
	t.Helper()
	return accept(t, func(c net.Conn) {
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
				scratch := make([]byte, 1<<16)
				for {
					if _, err := r.Read(scratch); err != nil {
						return
					}
				}
			}
		}
	})
}
