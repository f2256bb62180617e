// Package requester is the contract between brokerbench and the system that it
// measures. To measure something new, implement [Factory] and [Requester]: three
// methods that carry a message there and back. The engine in requester/load does
// the rest. If you have a function that sends a request and waits for the reply,
// [Blocking] is all you need.
//
// # What happens in a run
//
//  1. [Factory].New makes a Requester for each connection.
//  2. The engine asks each for the optional interfaces [FailureNotifier],
//     [Acknowledger], [SocketWriter] and [InFlightLimiter].
//  3. Setup connects. Up to 16 connections are set up at once, each within 30 s.
//  4. A probe of the measured size goes through the first connection with
//     Request. If it does not come back, the run ends with an error.
//  5. Request is called for each message when it is due. The requester calls
//     [Reply] for each message that comes back.
//  6. Teardown closes the connections, all within 20 s. It is called even if
//     Setup failed, or was never called because another connection's failed.
//
// # Goroutines
//
// On one Requester, Request is never called concurrently with itself, but each
// call may come from another goroutine. Different Requesters of a Factory are
// used concurrently. You may call Reply from any goroutine, even from several at
// once.
//
// Reply may call Request on the same Requester before it returns: with a limit on
// messages in flight, each reply sends the next message. So hold no lock during
// Reply that Request needs.
//
// # Bytes
//
// The payload of Request belongs to the engine, which overwrites it as soon as
// Request returns: copy it if you still need it. The payload that you pass to
// Reply belongs to you: the engine reads it during the call and keeps nothing.
//
// A message must come back byte for byte. It begins with a [Stamp], by which the
// engine finds the request that it answers; replies may come in any order.
//
// # Errors
//
//   - From New or Setup: nothing was measured. The user sees the error, so say
//     what you were doing, and to what.
//   - From Request: this message was not sent. It counts as failed, and the run
//     goes on.
//   - To the function of a [FailureNotifier]: a message that Request had accepted
//     failed afterwards. It counts as failed, too.
//   - A message that neither failed nor came back by the end counts as lost. It
//     ranks above every reply in the percentiles.
//   - From Teardown: stored with the result as an event.
//
// # Is it right?
//
// Call requestertest.Run in a test of yours: it checks these rules against your
// system, except that a Request is blocked when Teardown is called.
//
// This package imports only the standard library, so a requester of your own
// depends on nothing else.
package requester

import "context"

// A Requester carries messages through the system under test over one connection.
// The package comment says who calls it, from which goroutines.
type Requester interface {
	// Setup connects and subscribes. It returns nil only after a message of its
	// own has gone through the system and come back: a subscription that is not
	// yet active would lose the first messages of the run. That message is not
	// passed to Reply. Setup is called at most once and returns soon after ctx
	// is done.
	Setup(ctx context.Context) error

	// Request sends one message and returns without waiting for its reply. It
	// may block only while the system takes no more data, and returns soon after
	// ctx is done. While it blocks, other connections may have to wait for the
	// same sender. All calls of a run get the same ctx.
	//
	// An error means that this message was not sent; the next call may succeed.
	// Request must not keep payload. After Teardown it must not hang.
	Request(ctx context.Context, payload []byte) error

	// Teardown removes what Setup created and closes the connection. After it
	// has returned, Reply is not called any more. The engine calls it once. It must
	// be safe
	//
	//   - without a Setup, and after one that failed;
	//   - while a Request is blocked, which it ends: one that has not returned 5 s
	//     after its ctx was done is ended in this way.
	//
	// A Setup, Request or Teardown that returns at no time is left behind, and the
	// run goes on to its end without it.
	Teardown(ctx context.Context) error
}

// Reply takes a message that came back. The engine stamps the time of arrival
// first thing, so call it as soon as the message is complete. It returns quickly,
// but may call Request before it does. The engine counts every call, including
// duplicates and corrupt messages: pass on what arrives as it is.
type Reply func(payload []byte)

// A Factory makes the connections of a run. If it is also a [Describer], the
// result says what was measured.
type Factory interface {
	// New returns the Requester of connection conn, counted from 0. It does not
	// connect: that is Setup's task. reply is never nil; it must not be called
	// before Setup. All calls of a run come from one goroutine.
	New(conn int, reply Reply) (Requester, error)
}
