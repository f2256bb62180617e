package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// deliver puts the result into the run's stream. It retries without limit until ctx ends, as the
// measurement is already complete. It does not send a chunk again that the stream already has.
func (j *job) deliver(ctx context.Context) error {
	packed, err := wire.Pack(j.dir)
	if err != nil {
		return err
	}
	chunks, parcel := wire.Chunks(packed)
	for i, chunk := range chunks {
		if err := j.agent.store(ctx, j.agent.subjects.Result(j.agent.name, j.key, i), chunk); err != nil {
			return err
		}
	}
	j.mu.Lock()
	parcel.FirstDoneNS, parcel.LastDoneNS, parcel.LateNS = j.parcel.FirstDoneNS, j.parcel.LastDoneNS, j.parcel.LateNS
	j.result = &parcel
	j.mu.Unlock()
	j.set(wire.Delivered)
	return nil
}

// stored is what the stream answers.
type stored struct {
	Stream string `json:"stream"`
	Error  *struct {
		Description string `json:"description"`
	} `json:"error"`
}

const (
	storeTimeout = 5 * time.Second // for a chunk, once
	sendPause    = 200 * time.Millisecond
)

// store puts a chunk into the stream, and gives up with ctx.
func (a *Agent) store(ctx context.Context, subject string, chunk []byte) error {
	begun := time.Now()
	for {
		m := nats.NewMsg(subject)
		m.Data = chunk
		m.Header.Set(nats.MsgIdHdr, subject)
		asked, cancel := context.WithTimeout(ctx, storeTimeout)
		answer, err := a.conn.RequestMsgWithContext(asked, m)
		cancel()
		if err == nil {
			if err = accepted(answer.Data); err == nil {
				return nil
			}
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

func accepted(answer []byte) error {
	var s stored
	switch {
	case json.Unmarshal(answer, &s) != nil:
		return errors.New("the stream's answer is not one")
	case s.Error != nil:
		return errors.New(s.Error.Description)
	}
	return nil
}
