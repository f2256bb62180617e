package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// deliver sends the result to the coordinator. It retries until ctx ends, as the measurement is
// already complete.
func (j *job) deliver(ctx context.Context) error {
	packed, err := wire.Pack(j.dir)
	if err != nil {
		return err
	}
	chunk := 0
	for data := range slices.Chunk(packed, wire.ChunkSize) {
		if err := j.send(ctx, j.agent.subjects.Result(j.agent.name, j.key, chunk), data); err != nil {
			return err
		}
		chunk++
	}
	j.mu.Lock()
	parcel := j.parcel
	parcel.Describe(packed)
	j.result = &parcel
	j.mu.Unlock()
	j.set(wire.Delivered)
	return nil
}

// deliverAgain delivers the result from its first chunk, if there is one.
func (j *job) deliverAgain() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state != wire.Done && j.state != wire.Delivered {
		return
	}
	j.told = false
	select {
	case j.again <- struct{}{}:
	default:
	}
}

// errAgain is why delivering a result begins anew.
var errAgain = errors.New("another coordinator asks for it")

const (
	answerLimit = 5 * time.Second // for the answer to a chunk
	sendPause   = 200 * time.Millisecond
)

// send sends a chunk until the coordinator has taken it, and gives up with ctx.
func (j *job) send(ctx context.Context, subject string, chunk []byte) error {
	begun := time.Now()
	for {
		asked, cancel := context.WithTimeout(ctx, answerLimit)
		answer, err := j.agent.conn.RequestWithContext(asked, subject, chunk)
		cancel()
		switch {
		case err == nil && len(answer.Data) == 0:
			return nil
		case err == nil: // the coordinator is there, and will take it
			err, begun = errors.New(string(answer.Data)), time.Now()
		}
		if j.agent.conn.IsClosed() || time.Since(begun) > patience {
			return fmt.Errorf("delivering the result: %w", err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-j.again:
			return errAgain
		case <-time.After(sendPause):
		}
	}
}
