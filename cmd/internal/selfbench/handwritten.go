//go:build linux

package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/requester/measure"
	"github.com/brokerbench/brokerbench/requester/plan"
	"github.com/brokerbench/brokerbench/results"
)

// moderate measures 3,000/s on one connection, and alternates with the structure
// that was found best when the engine was designed, written by hand with the
// same client: a locked thread that sleeps in the kernel until a little before
// due, spins, and publishes; a callback that stamps the reply.
//
// Both run in this process, so that nothing but the structure differs.
func moderate(_, url string) ([]row, error) {
	const rounds = 5
	var ours, theirs, lag50, lag99 []time.Duration
	for range rounds {
		c, err := cell3000(url)
		if err != nil {
			return nil, err
		}
		ours = append(ours, percentile(c.Response, 50))
		lag50, lag99 = append(lag50, percentile(c.Lag, 50)), append(lag99, percentile(c.Lag, 99))
		h, err := byHand(url, 3000, 5*time.Second, 100*time.Microsecond)
		if err != nil {
			return nil, err
		}
		theirs = append(theirs, h)
	}
	ratio := float64(median(ours)) / float64(median(theirs))
	what := "NATS, 1 KiB at 3,000/s on one connection"
	return []row{
		{what + ": lag p50", fmt.Sprint(median(lag50)), "≤ 1µs", median(lag50) <= time.Microsecond},
		{what + ": lag p99", fmt.Sprintf("%v (all: %v)", median(lag99), lag99), "≤ 200µs", median(lag99) <= 200*time.Microsecond},
		{what + ": response p50", fmt.Sprintf("%v, by hand %v: ratio %.2f (%v; %v)", median(ours), median(theirs), ratio, ours, theirs), "ratio ≤ 1.10", ratio <= 1.10},
	}, nil
}

// cell3000 measures the same with brokerbench.
func cell3000(url string) (*results.Cell, error) {
	f, err := brokers.Open(url, "selfbench")
	if err != nil {
		return nil, err
	}
	return measure.Cell(context.Background(), f, plan.Cell{
		Target:   plan.Target{Name: "nats", URL: url},
		Shape:    plan.Shape{Rate: 3000, Size: 1024, Connections: 1},
		Settings: plan.Settings{Warmup: time.Second, Duration: 4 * time.Second, Timeout: 10 * time.Second},
	}, measure.Options{})
}

// byHand returns the median response time of the hand-written structure.
func byHand(url string, rate int, d, spin time.Duration) (time.Duration, error) {
	nc, err := nats.Connect(url)
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	n := int(d.Seconds() * float64(rate))
	h := hand{n: n, due: make([]time.Duration, n), response: make([]time.Duration, 0, n), done: make(chan struct{})}
	sub, err := nc.Subscribe("by.hand", h.reply)
	if err != nil {
		return 0, err
	}
	_ = sub.SetPendingLimits(-1, -1)
	if err := nc.Flush(); err != nil {
		return 0, err
	}
	if err := h.send(nc, rate, spin); err != nil {
		return 0, err
	}
	select {
	case <-h.done:
	case <-time.After(10 * time.Second):
		return 0, fmt.Errorf("by hand: only %d of %d replies", len(h.response), n)
	}
	measured := h.response[n/5:] // as much warm-up as brokerbench had
	slices.Sort(measured)
	return measured[len(measured)/2], nil
}

type hand struct {
	n        int
	mu       sync.Mutex
	start    time.Time
	due      []time.Duration
	response []time.Duration
	done     chan struct{}
}

func (h *hand) reply(*nats.Msg) {
	now := time.Since(h.start)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.response = append(h.response, now-h.due[len(h.response)]) // one connection keeps the order
	if len(h.response) == h.n {
		close(h.done)
	}
}

func (h *hand) send(nc *nats.Conn, rate int, spin time.Duration) error {
	runtime.LockOSThread() // for good: the slack of the thread is changed
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return err
	}
	payload := make([]byte, 1024)
	h.start = time.Now()
	for i := range h.n {
		due := time.Duration(i) * time.Second / time.Duration(rate)
		h.mu.Lock()
		h.due[i] = due
		h.mu.Unlock()
		if sleep := due - spin - time.Since(h.start); sleep > 0 {
			ts := unix.NsecToTimespec(int64(sleep))
			_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &ts, nil) // interrupted: the spin makes up for it
		}
		for time.Since(h.start) < due {
		}
		if err := nc.Publish("by.hand", payload); err != nil {
			return err
		}
	}
	return nil
}
