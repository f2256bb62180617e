package requestertest_test

import (
	"context"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestLoopback(t *testing.T) {
	for name, cfg := range map[string]loopback.Config{"at once": {}, "delayed": {Delay: time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			f, err := loopback.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			requestertest.Run(t, f)
		})
	}
}

func TestBlocking(t *testing.T) {
	requestertest.Run(t, requester.Blocking(func(_ context.Context, payload []byte) ([]byte, error) {
		return payload, nil
	}))
}
