package target_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
)

// Nodes answer by their name: at once, never, with an error, or late.
func question(ctx context.Context, addr string) (string, error) {
	switch addr {
	case "deaf":
		<-ctx.Done()
		return "", ctx.Err()
	case "dead":
		return "", errors.New("refused")
	case "late":
		time.Sleep(time.Second)
	}
	return addr, nil
}

func TestAsk(t *testing.T) {
	for _, c := range []struct {
		addrs, want string
		took        time.Duration
	}{
		{"a b", "a", 0},
		{"dead a", "a", 0},
		{"deaf a", "a", 250 * time.Millisecond},
		{"deaf dead a", "a", 500 * time.Millisecond}, // the dead one is told at once, but the deaf one is waited for
		{"late deaf", "late", time.Second},
		{"dead dead", "", 0},
		{"deaf deaf", "", 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			begun := time.Now()
			got, err := target.Ask(ctx, strings.Fields(c.addrs), question)
			if took := time.Since(begun); got != c.want || took != c.took || (err == nil) != (c.want != "") {
				t.Errorf("%s: %q, %v after %v, want %q after %v", c.addrs, got, err, took, c.want, c.took)
			}
		})
	}
}
