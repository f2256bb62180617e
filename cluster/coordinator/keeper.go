package coordinator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/brokerbench/brokerbench/cluster/attempt"
	"github.com/brokerbench/brokerbench/measure"
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

// A keeper writes the state, each time only if nobody else did.
type keeper struct {
	bucket   bucket
	patience time.Duration // how long it tries: the control server may be away for a while
	revision uint64
	tried    []byte // what may have been written, although an error came back; nil: nothing
	state    State
}

// A bucket is what a keeper needs of one.
type bucket interface {
	Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error)
	Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (uint64, error)
	Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)
}

// newKeeper opens the state of a run: of a new one, or of one to go on with.
func newKeeper(ctx context.Context, streams jetstream.JetStream, bucket string, patience time.Duration, resumed bool) (k *keeper, err error) {
	k = &keeper{patience: patience}
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

// save writes the state. It tries until ctx ends, or its patience; the error is
// [measure.ErrTaken] if somebody else has written it.
func (k *keeper) save(ctx context.Context) error {
	text, err := json.Marshal(k.state)
	if err == nil {
		err = insist(ctx, k.patience, func(ctx context.Context) error { return k.once(ctx, text) })
	}
	if err != nil && !errors.Is(err, measure.ErrTaken) {
		err = fmt.Errorf("keeping the run's state: %w", err)
	}
	return err
}

// once tries to write the state.
func (k *keeper) once(ctx context.Context, text []byte) error {
	err := k.put(ctx, text)
	if isConflict(err) { // with what was written the last time, perhaps, though its answer was lost
		mine, failed := k.wrote(ctx)
		switch {
		case failed != nil:
			return failed // not known: what was tried is still what was tried
		case mine:
			err = k.put(ctx, text)
		}
	}
	switch {
	case isConflict(err):
		return measure.ErrTaken
	case err != nil:
		k.tried = text
		return err
	}
	k.tried = nil
	return nil
}

// put writes the state if nobody else did since this coordinator had it last.
func (k *keeper) put(ctx context.Context, text []byte) error {
	var revision uint64
	var err error
	if k.revision == 0 {
		revision, err = k.bucket.Create(ctx, stateKey, text)
	} else {
		revision, err = k.bucket.Update(ctx, stateKey, text, k.revision)
	}
	if err == nil {
		k.revision = revision
	}
	return err
}

// wrote tells whether what is there is what this coordinator tried to write last.
func (k *keeper) wrote(ctx context.Context) (mine bool, err error) {
	if k.tried == nil {
		return false, nil
	}
	entry, err := k.bucket.Get(ctx, stateKey)
	if err != nil {
		return false, fmt.Errorf("reading the run's state: %w", err)
	}
	if !bytes.Equal(entry.Value(), k.tried) {
		return false, nil
	}
	k.revision = entry.Revision()
	return true, nil
}

func isConflict(err error) bool {
	var refused *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) ||
		errors.As(err, &refused) && (refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}
