//go:build linux

package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long a loop written by hand waits for a reply.
const patience = 10 * time.Second

// A link is one connection to a broker, written by hand with the broker's client.
type link struct {
	publish func(payload []byte) error // called on one goroutine; may keep payload, which never changes
	close   func()                     // leaves nothing behind on the broker
}

// A dial connects and subscribes. The link calls received for each message that
// comes back, in their order, on one goroutine at a time.
type dial func(ctx context.Context, url string, received func()) (link, error)

// A loop is the smallest form of the structure that proved best when the engine
// was designed: a locked thread sleeps in the kernel until a little before a
// message is due, spins, and publishes; a callback stamps the reply.
type loop struct {
	rate, n  int           // messages per second, and in all
	skip     int           // the first ones, which do not count
	spin     time.Duration // before due
	patience time.Duration // for a reply

	start time.Time // of the clock
	// When each reply came, for each connection: first that to the probe, then in the
	// order of its messages, which a connection keeps.
	replies []chan time.Duration
}

// newLoop makes a loop that sends as many messages of 1 KiB as brokerbench does,
// over connections in turn.
func newLoop(rate, connections int, warmup, window, spin time.Duration) *loop {
	l := &loop{rate: rate, n: ops(rate, warmup+window), skip: ops(rate, warmup), spin: spin, patience: patience, start: time.Now()}
	for range connections {
		l.replies = append(l.replies, make(chan time.Duration, 2+l.n/connections))
	}
	return l
}

func ops(rate int, d time.Duration) int { return int(int64(rate) * int64(d) / int64(time.Second)) }

// run returns the response times over new connections. It is called once.
func (l *loop) run(ctx context.Context, connect dial, url string) ([]time.Duration, error) {
	var links []link
	for i := range l.replies {
		c, err := connect(ctx, url, func() { l.reply(i) })
		if err != nil {
			return nil, fmt.Errorf("by hand: connecting: %w", err)
		}
		defer c.close()
		links = append(links, c)
	}
	var first time.Duration
	var err error
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		first, err = l.send(ctx, links)
	}()
	<-sent
	responses := make([]time.Duration, l.n)
	for i := 0; i < l.n && err == nil; i++ {
		responses[i], err = l.await(ctx, i%len(links))
		responses[i] -= first + l.due(i)
	}
	if err != nil {
		return nil, fmt.Errorf("by hand: %w", err)
	}
	return responses[l.skip:], nil
}

// await waits for the next reply over a connection.
func (l *loop) await(ctx context.Context, connection int) (at time.Duration, err error) {
	select {
	case at = <-l.replies[connection]:
		return at, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(l.patience):
		return 0, fmt.Errorf("no reply within %v", l.patience)
	}
}

// reply stamps a message that came back. It never waits.
func (l *loop) reply(connection int) {
	select {
	case l.replies[connection] <- time.Since(l.start):
	default: // more came back than were sent
	}
}

// due returns when message i is due after the first.
func (l *loop) due(i int) time.Duration {
	return time.Duration(i) * time.Second / time.Duration(l.rate)
}

// send sends a probe over each link and, when it is back, every message when it is
// due. It returns when the first was. It locks its thread for good, because it changes that
// thread's timer slack: it must be the last call of its goroutine.
func (l *loop) send(ctx context.Context, links []link) (first time.Duration, err error) {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("setting the timer slack: %w", err)
	}
	payload := make([]byte, size)
	for i, c := range links {
		if err := c.publish(payload); err != nil {
			return 0, err
		}
		if _, err := l.await(ctx, i); err != nil {
			return 0, fmt.Errorf("probe: %w", err)
		}
	}
	first = time.Since(l.start) + 20*time.Millisecond
	for i := range l.n {
		l.until(first + l.due(i))
		if err := links[i%len(links)].publish(payload); err != nil {
			return 0, err
		}
	}
	return first, nil
}

// until sleeps, and then spins.
func (l *loop) until(due time.Duration) {
	if left := due - l.spin - time.Since(l.start); left > 0 {
		ts := unix.NsecToTimespec(int64(left))
		_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &ts, nil) // interrupted: the spin makes up for it
	}
	for time.Since(l.start) < due {
	}
}

// withoutOptions returns a target's URL as its client knows it.
func withoutOptions(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return url
}
