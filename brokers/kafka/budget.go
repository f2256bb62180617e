package kafka

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// maxUnacknowledged bounds the bytes of a connection that franz-go holds. The
// engine's own bound, 64 MiB in flight, is reached first.
const maxUnacknowledged = 128 << 20

var errTornDown = errors.New("kafka: the connection is torn down")

// A budget bounds bytes. One goroutine at a time may take, any number may give. It
// exists because franz-go's own bound stops waiting only when the context of the
// whole record ends.
type budget struct {
	limit  int64
	used   atomic.Int64
	given  chan struct{} // gets a token from give
	closed chan struct{}
	once   sync.Once
}

func newBudget(limit int64) *budget {
	return &budget{limit: limit, given: make(chan struct{}, 1), closed: make(chan struct{})}
}

// take waits until size bytes fit, or until nothing else is taken.
func (b *budget) take(ctx context.Context, size int) error {
	select {
	case <-b.closed:
		return errTornDown
	default:
	}
	for {
		used := b.used.Load()
		if used == 0 || used+int64(size) <= b.limit {
			b.used.Add(int64(size))
			return nil
		}
		select {
		case <-b.given:
		case <-ctx.Done():
			return ctx.Err()
		case <-b.closed:
			return errTornDown
		}
	}
}

// give returns size bytes.
func (b *budget) give(size int) {
	b.used.Add(-int64(size))
	select {
	case b.given <- struct{}{}:
	default: // there is a token already: take will check again
	}
}

// close ends every take. It may be called again.
func (b *budget) close() { b.once.Do(func() { close(b.closed) }) }
