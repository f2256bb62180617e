package supervise_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/supervise"
)

func TestALoopThatNeverBegan(t *testing.T) {
	var l supervise.Loop
	l.Stop(t.Context(), func() { t.Error("cut") })
	if err := l.Rest(t.Context()); err != nil {
		t.Error(err)
	}
}

// The end of Setup's context is not the loop's.
func TestStopEndsTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l supervise.Loop
		setup, cancel := context.WithCancel(t.Context())
		ctx, consuming := l.Begin(setup)
		cancel()
		if ctx.Err() != nil || consuming.Err() != nil {
			t.Errorf("%v, %v", ctx.Err(), consuming.Err())
		}
		go func() {
			defer l.End()
			<-consuming.Done()
			<-ctx.Done()
		}()
		for range 2 {
			l.Stop(t.Context(), func() { t.Error("cut") })
		}
	})
}

// A loop that waits for the broker goes on after Rest's context, and is cut after Stop's.
func TestALoopThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l supervise.Loop
		ctx, consuming := l.Begin(t.Context())
		hung := make(chan struct{})
		go func() {
			defer l.End()
			<-hung
		}()
		began := time.Now()
		patience := func() context.Context {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			t.Cleanup(cancel)
			return ctx
		}
		if err := l.Rest(patience()); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil || consuming.Err() == nil {
			t.Errorf("Rest: %v; %v, %v", err, ctx.Err(), consuming.Err())
		}
		l.Stop(patience(), func() { close(hung) })
		if ctx.Err() == nil || time.Since(began) != 2*time.Second {
			t.Errorf("Stop: %v after %v", ctx.Err(), time.Since(began))
		}
	})
}
