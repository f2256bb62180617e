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
		if err := j.agent.send(ctx, j.agent.subjects.Result(j.agent.name, j.key, chunk), data); err != nil {
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

const (
	answerLimit = 5 * time.Second // for the answer to a chunk
	sendPause   = 200 * time.Millisecond
)

// send sends a chunk until the coordinator has taken it, and gives up with ctx.
func (a *Agent) send(ctx context.Context, subject string, chunk []byte) error {
	begun := time.Now()
	for {
		asked, cancel := context.WithTimeout(ctx, answerLimit)
		answer, err := a.conn.RequestWithContext(asked, subject, chunk)
		cancel()
		switch {
		case err == nil && len(answer.Data) == 0:
			return nil
		case err == nil: // the coordinator is there, and will take it
			err, begun = errors.New(string(answer.Data)), time.Now()
		}
		if a.conn.IsClosed() || time.Since(begun) > patience {
			return fmt.Errorf("delivering the result: %w", err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(sendPause):
		}
	}
}
