//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// stamps are the times of the replies or acknowledgements of a connection: first that of
// the probe, then those of the messages in their order.
type stamps chan time.Duration

// times are the delays from due until the messages of a loop came back and were
// acknowledged, and the CPU time of each message in nanoseconds.
type times struct {
	responses, acks []time.Duration
	cpu             float64
}

// collect waits for the reply or acknowledgement of each message, and returns its
// delay after the message was due. The first message was due at first.
func (l *loop) collect(ctx context.Context, from []stamps, what string, first time.Duration) ([]time.Duration, error) {
	if len(from) == 0 {
		return nil, nil
	}
	took := make([]time.Duration, l.n)
	for i := range took {
		at, err := l.await(ctx, from[i%len(from)], what)
		if err != nil {
			return nil, err
		}
		took[i] = at - first - l.due(i)
	}
	return took[l.skip:], nil
}

// await waits for the next reply or acknowledgement over a connection.
func (l *loop) await(ctx context.Context, from stamps, what string) (at time.Duration, err error) {
	select {
	case at = <-from:
		return at, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(l.patience):
		return 0, fmt.Errorf("no %s within %v", what, l.patience)
	}
}

// stamper returns a function that stamps the messages of a connection. It never waits.
func (l *loop) stamper(into []stamps, connection int) func() {
	if len(into) == 0 {
		return func() {}
	}
	to := into[connection]
	return func() {
		select {
		case to <- time.Since(l.start):
		default: // more than were sent
		}
	}
}

// probed waits until the probe of a connection is back and acknowledged.
func (l *loop) probed(ctx context.Context, connection int) error {
	_, err := l.await(ctx, l.replies[connection], "reply")
	if err == nil && len(l.acks) > 0 {
		_, err = l.await(ctx, l.acks[connection], "acknowledgement")
	}
	return err
}

// quantiles returns percentiles of times, which it sorts.
func quantiles(sorted []time.Duration, percentiles ...float64) []float64 {
	slices.Sort(sorted)
	values := make([]float64, len(percentiles))
	for i, p := range percentiles {
		rank := int(float64(len(sorted))*p/100 + 1e-6) // 99.9 has no exact float
		values[i] = float64(sorted[min(rank, len(sorted)-1)])
	}
	return values
}
