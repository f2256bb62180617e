// Package requester is the contract between brokerbench and the system that it
// measures. Whatever can carry a payload there and back implements [Requester];
// the engine in requester/load does the rest.
//
// The package imports only the standard library, so that a requester of your
// own depends on nothing else.
package requester

import "context"

// A Requester carries requests through the system under test over one
// connection.
//
// The engine calls Setup once, then Request any number of times, then Teardown
// once. It never calls Request concurrently with itself on the same Requester,
// but successive calls may come from different goroutines, among them the one
// that is inside [Reply]: a Requester must not hold a lock while it calls Reply
// that it needs in Request.
type Requester interface {
	// Setup connects and subscribes, and proves it: it returns nil only after
	// a probe of its own went through the system and came back. That probe is
	// not passed to Reply.
	Setup(ctx context.Context) error

	// Request issues one request and returns without waiting for its reply.
	// It may block only for back-pressure, and returns soon after ctx is done.
	// It must not keep payload after it returns. An error says that this
	// request was not sent; the requester stays usable.
	Request(ctx context.Context, payload []byte) error

	// Teardown removes what Setup made and closes the connection. It is safe
	// after a failed Setup, and concurrent with a Request that is blocked,
	// which it ends. After it has returned, Reply is not called any more.
	Teardown(ctx context.Context) error
}

// Reply is called with each payload that comes back, from any goroutine, also
// concurrently. The payload is valid only during the call. Reply is short, but
// may call Request before it returns.
type Reply func(payload []byte)

// A Factory makes one Requester a connection.
type Factory interface {
	// New returns the requester of connection conn, counted from 0. It does not
	// connect; that is Setup's part. reply is never nil.
	New(conn int, reply Reply) (Requester, error)
}
