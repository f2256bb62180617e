// Package setup sets up the connections of a run, or of an echo.
package setup

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

const (
	timeout = 30 * time.Second // for one connection
	slots   = 16               // connections that are set up at once
	unblock = 5 * time.Second  // how long Setup may take to return after its ctx is done
)

// All sets up the first n connections, 16 at a time. The first error ends the others,
// and is returned. All ends soon after the time limit of a connection, and after ctx, even if a
// Setup does not return: that one is left behind. For such a Setup it waits with the function,
// which waits until a channel is closed, for as long as the limit, and tells whether it was.
func All(ctx context.Context, n int, connection func(int) requester.Consumer, wait func(<-chan struct{}, time.Duration) bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	free := make(chan struct{}, slots)
	for number := range n {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			defer func() { <-free }()
			if err := one(ctx, number, connection(number), wait); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// one sets up a connection.
func one(ctx context.Context, number int, connection requester.Consumer, wait func(<-chan struct{}, time.Duration) bool) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var err error
	done := make(chan struct{})
	go func() {
		err = connection.Setup(ctx)
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		if !wait(done, unblock) {
			return fmt.Errorf("setting up connection %d: Setup does not return: %w", number, ctx.Err())
		}
	}
	if err != nil {
		return fmt.Errorf("setting up connection %d: %w", number, err)
	}
	return nil
}
