package kafka

import (
	"bytes"
	"sync"

	"github.com/brokerbench/brokerbench/requester"
)

// A failure is a request that was not carried.
type failure struct {
	stamp []byte // the head of its payload
	cause error
}

// failures passes what franz-go reports on from a goroutine of its own: told
// directly, a failure that issues the next request would wait for room that only
// the next report can make.
type failures struct {
	notify func(payload []byte, cause error) // nil if nobody wants to know

	mu      sync.Mutex
	waiting []failure
	wake    chan struct{} // holds a token while something waits
}

func newFailures() *failures { return &failures{wake: make(chan struct{}, 1)} }

// add takes a copy of the payload's head.
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

// serve passes failures on until stop is closed. What is added later is nobody's
// business any more.
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
