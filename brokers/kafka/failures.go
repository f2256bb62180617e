package kafka

import (
	"bytes"
	"sync"

	"github.com/brokerbench/brokerbench/requester"
)

// A failure is a message that was not delivered.
type failure struct {
	stamp []byte // the head of its payload
	cause error
}

// failures passes on what franz-go reports from a goroutine of its own. If franz-go's
// goroutine called notify directly and notify issued the next request, that request
// could wait for room that only this goroutine's next report makes.
type failures struct {
	notify func(payload []byte, cause error) // nil if nobody listens

	mu      sync.Mutex
	waiting []failure
	wake    chan struct{} // has a token while something waits
}

func newFailures() *failures { return &failures{wake: make(chan struct{}, 1)} }

// add keeps a copy of the payload's stamp.
func (f *failures) add(payload []byte, cause error) {
	if f.notify == nil {
		return
	}
	stamp := bytes.Clone(payload[:min(len(payload), requester.StampSize)])
	f.mu.Lock()
	f.waiting = append(f.waiting, failure{stamp, cause})
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default: // awake already
	}
}

// serve passes failures on until stop is closed. Later ones are dropped.
func (f *failures) serve(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-f.wake:
		}
		for _, failed := range f.take() {
			select {
			case <-stop:
				return
			default:
				f.notify(failed.stamp, failed.cause)
			}
		}
	}
}

func (f *failures) take() []failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	waiting := f.waiting
	f.waiting = nil
	return waiting
}
