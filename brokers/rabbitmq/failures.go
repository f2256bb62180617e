package rabbitmq

import "sync"

// failures passes on which messages failed, in order, from a goroutine that is there while
// there are any.
type failures struct {
	work   *sync.WaitGroup // that the goroutine is a part of
	report func(message []byte, cause error)

	mu      sync.Mutex
	waiting []failure
	serving bool
}

type failure struct {
	message []byte
	cause   error
}

// add never waits for report. It keeps message.
func (f *failures) add(message []byte, cause error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = append(f.waiting, failure{message, cause})
	if !f.serving {
		f.serving = true
		f.work.Go(f.serve)
	}
}

func (f *failures) serve() {
	for next := f.take(); len(next) > 0; next = f.take() {
		for _, failed := range next {
			f.report(failed.message, failed.cause)
		}
	}
}

// take returns what waits. If nothing does, nobody serves from now on.
func (f *failures) take() []failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := f.waiting
	f.waiting, f.serving = nil, len(next) > 0
	return next
}
