package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/brokerbench/brokerbench/cluster/attempt"
)

// A State is how far a run is, in the control server's key-value store: what another
// coordinator needs to go on with it.
type State struct {
	Cell    string                   `json:"cell"`    // the ID of the cell under way; "" between two
	Key     string                   `json:"key"`     // of the attempt
	Attempt int                      `json:"attempt"` // counted from 1
	Number  int                      `json:"number"`  // parts that were named so far
	Start   time.Time                `json:"start"`   // of the schedule by this machine's wall clock; zero before it is known
	Clocks  map[string]attempt.Clock `json:"clocks"`  // of the agents, on the clock of the coordinator that measured them
	Epochs  map[string]string        `json:"epochs"`  // of the agents' processes
}

const stateKey = "state"

// ErrTaken is the error of a coordinator that another one has taken the run from.
var ErrTaken = errors.New("another coordinator has gone on with this run")

// A keeper writes the state, each time only if nobody else did.
type keeper struct {
	bucket   jetstream.KeyValue
	revision uint64
	state    State
}

// newKeeper opens the state of a run: of a new one, or of one to go on with.
func newKeeper(ctx context.Context, streams jetstream.JetStream, bucket string, resumed bool) (k *keeper, err error) {
	k = new(keeper)
	k.bucket, err = streams.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket, History: 1, Storage: jetstream.FileStorage})
	if err != nil {
		return nil, fmt.Errorf("keeping the run's state: %w", err)
	}
	if resumed {
		entry, err := k.bucket.Get(ctx, stateKey)
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound): // it died before its first cell
		case err != nil:
			return nil, fmt.Errorf("reading the run's state: %w", err)
		default:
			k.revision = entry.Revision()
			if err := json.Unmarshal(entry.Value(), &k.state); err != nil {
				return nil, fmt.Errorf("reading the run's state: %w", err)
			}
		}
	}
	return k, k.save(ctx) // who writes first has the run
}

// save writes the state.
func (k *keeper) save(ctx context.Context) error {
	text, err := json.Marshal(k.state)
	if err != nil {
		return fmt.Errorf("keeping the run's state: %w", err)
	}
	var conflict *jetstream.APIError
	if k.revision == 0 {
		k.revision, err = k.bucket.Create(ctx, stateKey, text)
	} else {
		k.revision, err = k.bucket.Update(ctx, stateKey, text, k.revision)
	}
	switch {
	case errors.Is(err, jetstream.ErrKeyExists), errors.As(err, &conflict) && conflict.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence:
		return ErrTaken
	case err != nil:
		return fmt.Errorf("keeping the run's state: %w", err)
	}
	return nil
}
