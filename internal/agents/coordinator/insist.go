package coordinator

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/brokerbench/brokerbench/internal/agents/attempt"
)

// insistEvery is the time between two tries.
const insistEvery = 200 * time.Millisecond

// insist does something with the control server until it succeeds, ctx ends, or patience is
// over: the server may restart, and its connection may be cut for as long as agents tolerate.
// A permanent error is not tried again.
func insist(ctx context.Context, patience time.Duration, do func(context.Context) error) error {
	limit := time.Now().Add(patience)
	for {
		err := do(ctx)
		if err == nil || errors.Is(err, jetstream.ErrMsgNotFound) || time.Now().After(limit) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(insistEvery):
		}
	}
}

// patience is how long the coordinator tries to reach the control server: after that, agents
// have stopped.
func (c *Coordinator) patience() time.Duration { return c.cfg.Lease + attempt.Grace }
