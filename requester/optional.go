package requester

import (
	"context"
	"time"
)

// A Describer is a [Factory] that can say what it measures. Optional.
type Describer interface {
	// Describe asks the system under test what it is, over a connection of its
	// own, which it closes again. A system that cannot be reached is an error.
	Describe(ctx context.Context) (Description, error)
}

// A Description says what was measured and through what. It is stored with
// every result, because a client's settings are part of a latency.
type Description struct {
	Product  string    `json:"product"`  // such as "NATS"
	Version  string    `json:"version"`  // as the system itself reports it; "" if it does not
	Client   string    `json:"client"`   // module and version of the client library
	Settings []Setting `json:"settings"` // every setting that was in force, defaults included
}

// A Setting is one option of a requester: in a [Description] with the value in
// force, in a list of options with the default.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Doc   string `json:"doc,omitempty"` // one line for a reader
}

// A FailureNotifier is a [Requester] that may learn only after Request has
// returned that a request was not carried: a negative acknowledgement, a refused
// batch. Optional. Without it such an op is not Failed but Lost, at the cell's
// end.
type FailureNotifier interface {
	// NotifyFailure sets the function to call for each such request, with its
	// payload (the first [StampSize] bytes suffice; valid only during the call)
	// and the cause. It is called once, before Setup. fail may be called from
	// any goroutine, under the same rules as [Reply].
	NotifyFailure(fail func(payload []byte, cause error))
}

// An InFlightLimiter is a [Requester] that can carry only so many requests at a
// time. Optional. The engine keeps what is due beyond that in its own queue,
// where the wait is part of the response time but not of the service time.
type InFlightLimiter interface {
	// InFlightLimit returns the limit, at least 1.
	InFlightLimit() int
}

// A Witness is a [Requester] that notices things beside its requests: a lost
// connection, a reconnect, a slow-consumer warning. Optional. What it noticed is
// stored with the result.
type Witness interface {
	// Events returns what was noticed so far, oldest first. It may be called
	// from any goroutine, also after Teardown.
	Events() []Event
}

// An Event is one thing that a connection noticed.
type Event struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"` // such as "disconnected: EOF"
}
