package transport

import (
	"context"
	"time"
)

// Repeat calls do, and again after each pause, until done gets a value or is closed. It returns the
// error of do, or why ctx has ended.
func Repeat(ctx context.Context, pause time.Duration, done <-chan []byte, do func() error) error {
	again := time.NewTicker(pause)
	defer again.Stop()
	for {
		if err := do(); err != nil {
			return err
		}
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-again.C:
		}
	}
}
