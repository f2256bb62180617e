package requester_test

import (
	"context"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// benchRequester is the interface of tylertreat/bench: Request waits for the
// reply, of a request that the requester makes up by itself.
type benchRequester interface {
	Setup() error
	Request() error
	Teardown() error
}

// query is a Requester as one would have written it for bench.
type query struct{ answered int }

func (q *query) Setup() error    { return nil }
func (q *query) Request() error  { q.answered++; return nil }
func (q *query) Teardown() error { return nil }

// port makes a brokerbench Factory of a bench requester. The reply of a blocking
// call is whatever it returns: here the payload, since bench's Request has none.
func port(open func() benchRequester) requester.Factory {
	return requester.BlockingFactory(func(int) (requester.Do, func() error, error) {
		r := open()
		if err := r.Setup(); err != nil {
			return nil, nil, err
		}
		do := func(_ context.Context, payload []byte) ([]byte, error) {
			return payload, r.Request()
		}
		return do, r.Teardown, nil
	})
}

// Port a synchronous Requester of tylertreat/bench.
func ExampleBlockingFactory() {
	f := port(func() benchRequester { return &query{} })
	cfg := load.Config{Schedule: schedule.Spec{Rate: 1000, Duration: 200 * time.Millisecond}, Size: 16}
	outcome, err := load.Run(context.Background(), f, cfg, ignore{}, load.Hooks{})
	fmt.Println(outcome.Window.Due, outcome.Window.Done, err)
	// Output: 200 200 <nil>
}

// Measure a function that sends a request and waits for its reply.
func ExampleBlocking() {
	f := requester.Blocking(func(_ context.Context, payload []byte) ([]byte, error) {
		return payload, nil // an HTTP call, a query
	})
	cfg := load.Config{Schedule: schedule.Spec{Rate: 1000, Duration: 100 * time.Millisecond}, Size: 16}
	outcome, err := load.Run(context.Background(), f, cfg, ignore{}, load.Hooks{})
	fmt.Println(outcome.Window.Due, outcome.Window.Done, err)
	// Output: 100 100 <nil>
}

type ignore struct{}

func (ignore) Record(load.Op) {}
