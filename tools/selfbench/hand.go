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

// patience is the longest time that a loop written by hand waits for a reply.
const patience = 10 * time.Second

// A link is one connection to a broker, written by hand with the broker's client.
type link struct {
	publish func(payload []byte) error // called on one goroutine; may keep payload, which never changes
	close   func()                     // leaves nothing behind on the broker
}

// A dial connects and subscribes. The link calls received for each message that comes
// back, in their order, on one goroutine at a time; and in the same way acked for each
// message that the broker acknowledges. After an error a link that has a close is closed.
type dial func(ctx context.Context, url string, received, acked func()) (link, error)

// A loop is the smallest form of the structure that proved best when the engine
// was designed: a locked thread sleeps in the kernel until a little before a
// message is due, spins, and publishes; a callback stamps the reply.
type loop struct {
	rate, n  int           // messages per second, and in all
	skip     int           // the first ones, which do not count
	spin     time.Duration // before due
	patience time.Duration // for a reply

	start   time.Time // of the clock
	replies []stamps  // to each connection
	acks    []stamps  // the same; none without acknowledgements
}

// newLoop makes a loop that sends as many messages of 1 KiB as brokerbench does,
// over connections in turn.
func newLoop(b bench, rate, connections int) *loop {
	l := &loop{rate: rate, n: ops(rate, b.warmup+b.window), skip: ops(rate, b.warmup), spin: spin(rate), patience: patience, start: time.Now()}
	for range connections {
		l.replies = append(l.replies, make(stamps, 2+l.n/connections))
	}
	return l
}

// acknowledged makes the loop wait for acknowledgements, too.
func (l *loop) acknowledged() *loop {
	for _, replies := range l.replies {
		l.acks = append(l.acks, make(stamps, cap(replies)))
	}
	return l
}

func ops(rate int, d time.Duration) int { return int(int64(rate) * int64(d) / int64(time.Second)) }

// run returns the times over new connections. Call it once.
func (l *loop) run(ctx context.Context, connect dial, url string) (took times, err error) {
	var links []link
	for i := range l.replies {
		c, err := connect(ctx, url, l.stamper(l.replies, i), l.stamper(l.acks, i))
		if c.close != nil {
			defer c.close()
		}
		if err != nil {
			return times{}, fmt.Errorf("by hand: connecting: %w", err)
		}
		links = append(links, c)
	}
	var first time.Duration
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		first, err = l.send(ctx, links)
	}()
	<-sent
	if err == nil {
		took.responses, err = l.collect(ctx, l.replies, "reply", first)
	}
	if err == nil {
		took.acks, err = l.collect(ctx, l.acks, "acknowledgement", first)
	}
	if err != nil {
		return times{}, fmt.Errorf("by hand: %w", err)
	}
	return took, nil
}

// due returns the time at which message i is due, after the first.
func (l *loop) due(i int) time.Duration {
	return time.Duration(i) * time.Second / time.Duration(l.rate)
}

// send sends a probe over each link and, when it is back, every message when it is due. It
// returns the time at which the first was due. It changes the timer slack of its thread and keeps it
// locked, so it must be the last call of its goroutine.
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
		if err := l.probed(ctx, i); err != nil {
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

// until sleeps in the kernel, and then spins.
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
