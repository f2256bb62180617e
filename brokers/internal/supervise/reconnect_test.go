package supervise_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/supervise"
)

// texts returns what a loop has noted.
func texts(l *supervise.Loop) (all []string) {
	for _, e := range l.Events() {
		all = append(all, e.Text)
	}
	return all
}

func TestReconnectTellsEachReasonOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, tries, began := supervise.Loop{Pause: time.Second}, 0, time.Now()
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
		if told := texts(&l); !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	})
}

// An attempt goes on when consuming has ended, and no other follows.
func TestReconnectEndsWithConsuming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, third := supervise.Loop{Pause: time.Second}, make(chan struct{})
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
		if err := l.Rest(t.Context()); err != nil || time.Since(began) != supervise.Timeout {
			t.Errorf("%v after %v, want %v", err, time.Since(began), supervise.Timeout)
		}
		if told := texts(&l); tries != 3 || len(told) != 1 {
			t.Errorf("%d tries, told %q", tries, told)
		}
	})
}
