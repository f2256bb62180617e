//go:build linux

package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
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

	start  time.Time     // of the clock
	probed chan struct{} // closed when the probe is back
	done   chan struct{} // closed when the last message is

	mu       sync.Mutex
	first    time.Duration // when the first message is due; 0 until the probe is back
	response []time.Duration
}

// newLoop makes a loop that sends as many messages of 1 KiB as brokerbench does
// over one connection.
func newLoop(rate int, warmup, window, spin time.Duration) *loop {
	skip, n := ops(rate, warmup), ops(rate, warmup+window)
	return &loop{
		rate: rate, n: n, skip: skip, spin: spin, patience: patience, start: time.Now(),
		probed: make(chan struct{}), done: make(chan struct{}), response: make([]time.Duration, 0, n),
	}
}

func ops(rate int, d time.Duration) int { return int(int64(rate) * int64(d) / int64(time.Second)) }

// run returns the median response time over a new connection. It is called once.
func (l *loop) run(ctx context.Context, connect dial, url string) (time.Duration, error) {
	c, err := connect(ctx, url, l.reply)
	if err != nil {
		return 0, fmt.Errorf("by hand: connecting: %w", err)
	}
	defer c.close()
	sent := make(chan error, 1)
	go func() { sent <- l.send(ctx, c.publish) }()
	if err = <-sent; err == nil {
		err = l.await(ctx, l.done, "last reply")
	}
	if err != nil {
		return 0, fmt.Errorf("by hand: %w", err)
	}
	return median(l.response[l.skip:]), nil
}

// await waits until a channel is closed. what names it in the error.
func (l *loop) await(ctx context.Context, closed <-chan struct{}, what string) error {
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(l.patience):
		return fmt.Errorf("no %s within %v", what, l.patience)
	}
}

// reply takes a message that came back: first the probe, then the messages in
// their order, which one connection keeps.
func (l *loop) reply() {
	now := time.Since(l.start)
	l.mu.Lock()
	defer l.mu.Unlock()
	i := len(l.response)
	switch {
	case l.first == 0:
		close(l.probed)
	case i < l.n:
		l.response = append(l.response, now-l.due(i))
		if i == l.n-1 {
			close(l.done)
		}
	}
}

// due returns when message i is due. The caller holds the lock, or is send.
func (l *loop) due(i int) time.Duration {
	return l.first + time.Duration(i)*time.Second/time.Duration(l.rate)
}

// send sends a probe and, when it is back, every message when it is due. It locks
// its thread for good, because it changes that thread's timer slack: it must be the
// last call of its goroutine.
func (l *loop) send(ctx context.Context, publish func([]byte) error) error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("setting the timer slack: %w", err)
	}
	payload := make([]byte, size)
	if err := publish(payload); err != nil {
		return err
	}
	if err := l.await(ctx, l.probed, "reply to the probe"); err != nil {
		return err
	}
	l.mu.Lock()
	l.first = time.Since(l.start) + 20*time.Millisecond
	l.mu.Unlock()
	for i := range l.n {
		l.until(l.due(i))
		if err := publish(payload); err != nil {
			return err
		}
	}
	return nil
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
