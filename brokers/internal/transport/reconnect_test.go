package transport_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
)

func TestAReconnectorThatNeverBegan(t *testing.T) {
	var l transport.Reconnector
	l.Stop(t.Context(), func() { t.Error("cut") })
	if err := l.StopConsuming(t.Context()); err != nil {
		t.Error(err)
	}
}

// The end of Setup's context is not the loop's.
func TestStopEndsTheReconnector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l transport.Reconnector
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
func TestAReconnectorThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l transport.Reconnector
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
		if err := l.StopConsuming(patience()); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil || consuming.Err() == nil {
			t.Errorf("Rest: %v; %v, %v", err, ctx.Err(), consuming.Err())
		}
		l.Stop(patience(), func() { close(hung) })
		if ctx.Err() == nil || time.Since(began) != 2*time.Second {
			t.Errorf("Stop: %v after %v", ctx.Err(), time.Since(began))
		}
	})
}

func TestReconnectTellsEachReasonOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		l := transport.Reconnector{Pause: time.Second, Event: func(text string) { told = append(told, text) }}
		tries, began := 0, time.Now()
		l.Reconnect(t.Context(), t.Context(), func(context.Context) error {
			tries++
			switch {
			case tries == 10:
				return nil
			case tries > 5:
				return errors.New("refused")
			}
			return fmt.Errorf("port %d: reset", 1000+tries)
		})
		if tries != 10 || time.Since(began) != 10*time.Second {
			t.Errorf("%d tries in %v", tries, time.Since(began))
		}
		want := []string{"reconnecting: port 1001: reset", "reconnecting: refused", "reconnected after 10s, at attempt 10"}
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	})
}

// An attempt goes on when consuming has ended, and no other follows.
func TestReconnectEndsWithConsuming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		l, third := transport.Reconnector{Pause: time.Second, Event: func(text string) { told = append(told, text) }}, make(chan struct{})
		ctx, consuming := l.Begin(t.Context())
		tries := 0
		go func() {
			defer l.End()
			l.Reconnect(ctx, consuming, func(ctx context.Context) error {
				if tries++; tries == 3 {
					close(third)
					<-ctx.Done()
				}
				return errors.New("away")
			})
		}()
		<-third
		began := time.Now()
		if err := l.StopConsuming(t.Context()); err != nil || time.Since(began) != transport.ReconnectTimeout {
			t.Errorf("%v after %v, want %v", err, time.Since(began), transport.ReconnectTimeout)
		}
		if tries != 3 || len(told) != 1 {
			t.Errorf("%d tries, told %q", tries, told)
		}
	})
}
