// Package requester is the contract between brokerbench and the system that it
// measures. To measure something new, implement [Factory] and [Requester]: four
// methods that carry a message there and back. The engine in requester/load does
// the rest. If you have a function that sends a request and waits for the reply,
// [Blocking] is all you need.
//
// # Publisher and consumer
//
// A connection has two roles. As a publisher it sends each message in Request, and
// reports what became of it with Acked or Failed. As a consumer it receives
// messages, and passes each to Reply. Usually each connection consumes exactly what
// it publishes; with an echo (see [Echoer]) another process is in between. With a
// [Topology], connections only publish, and groups of consumers receive (see [Grouper]).
//
// # Life of a connection
//
//  1. [Factory].New makes a Requester, which states its [Traits].
//  2. Setup connects. Up to 16 connections are set up at once, each within 30 s.
//  3. A probe of the measured size goes through the first connection with
//     Request. If it does not come back, the run ends with an error.
//  4. Request is called for each message when it is due. The requester calls
//     Reply of its [Sink] for each message that comes back.
//  5. Teardown closes the connections, all within 20 s. It is called even if
//     Setup failed, or was never called because another connection's failed.
//
// # Goroutines
//
// On one Requester, Request is never called concurrently with itself, but each
// call may come from another goroutine. Different Requesters of a Factory are
// used concurrently. You may call the functions of a Sink from any goroutine, even
// from several at once.
//
// Reply, Acked and Failed may call Request on the same Requester before they
// return: with a limit on messages in flight, each reply sends the next message.
// So hold no lock during these calls that Request needs.
//
// # Bytes
//
// The payload of Request belongs to the engine, which overwrites it as soon as
// Request returns: copy it if you still need it. The payload that you pass to a
// Sink belongs to you: the engine reads it during the call and keeps nothing.
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
//   - To Failed: a message that Request had accepted failed afterwards. It counts
//     as failed, too.
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

import (
	"context"
	"time"
)

// A Publisher sends messages: one of the two roles of a connection.
type Publisher interface {
	// Request sends one message and returns without waiting for its reply. It
	// may block only while the system takes no more data, and returns soon after
	// ctx is done. While it blocks, other connections may have to wait for the
	// same sender. All calls of a run get the same ctx.
	//
	// An error means that this message was not sent; the next call may succeed.
	// Request must not keep payload. After Teardown it must not hang.
	Request(ctx context.Context, payload []byte) error
}

// A Requester carries messages through the system under test over one connection,
// as publisher and as consumer. The package comment says who calls it, from which
// goroutines.
type Requester interface {
	Publisher

	// Traits states the fixed properties of the connection. It is called once,
	// before Setup.
	Traits() Traits

	// Setup connects and subscribes. It returns nil only after a message of its
	// own has gone through the system and come back: a subscription that is not
	// yet active would lose the first messages of the run. That message is not
	// passed to Reply. Setup is called at most once and returns soon after ctx
	// is done.
	Setup(ctx context.Context) error

	// Teardown removes what Setup created and closes the connection. After it
	// has returned, no function of the Sink but Event is called. The engine calls
	// it once. It must be safe
	//
	//   - without a Setup, and after one that failed;
	//   - while a Request is blocked, which it ends: one that has not returned 5 s
	//     after its ctx was done is ended in this way.
	//
	// A Setup, Request or Teardown that never returns is left behind, and the
	// run goes on to its end without it.
	Teardown(ctx context.Context) error
}

// Traits are the fixed properties of a connection. The zero value is a connection
// without limits that acknowledges nothing.
type Traits struct {
	// Acknowledges: the system confirms that it took responsibility for each message,
	// with a publisher confirm, a produce response, or the reply of XADD, and the
	// requester calls Acked then.
	Acknowledges bool
	// WritesToSocket: when Request returns without an error, the bytes of the message
	// are with the kernel. A client that puts them into a buffer, which another goroutine
	// writes, does not have this trait.
	WritesToSocket bool
	// InFlight is how many messages the connection can carry at a time; 0: no limit. The
	// engine queues messages that are due beyond it; the time in that queue is part
	// of the response time but not of the service time.
	InFlight int
}

// A Sink receives what happens on a connection. It has the first four functions. They
// return quickly, but Reply, Acked and Failed may call Request before they do.
type Sink struct {
	// Reply takes a message that the consumer received. The engine reads the clock
	// first, so call it as soon as the message is complete. The engine counts every
	// call, including duplicates and corrupt messages: pass on every message unchanged.
	Reply func(payload []byte)

	// Acked takes the payload of a message that the system acknowledged to the publisher;
	// the first [StampSize] bytes suffice. Only a connection with the trait
	// Acknowledges calls it. The engine reads the clock first, so call it as soon as
	// the acknowledgement is there, whether the message was passed to Reply before or
	// not. The meaning of an acknowledgement depends on the system and its settings: the
	// engine records when it came, and whether the message came back as well.
	Acked func(payload []byte)

	// Failed takes the payload of a message that Request had accepted and that was not
	// carried, such as one that the broker refused; the first [StampSize] bytes suffice.
	// A message that is never reported counts as lost at the end of the run, not as failed.
	Failed func(payload []byte, cause error)

	// Event takes something that happened to the connection: it was lost, it reconnected,
	// the broker warned of a slow consumer. Events are stored with the result.
	Event func(text string)

	// From takes the partition, counted from 0, of the message that the next call of Reply passes on. Only
	// a [KeyTaker] with keys calls it, and Reply then from one goroutine. Nil: nothing takes partitions.
	From func(partition int)
}

// Replies returns a sink that passes on replies and ignores everything else.
func Replies(reply func(payload []byte)) Sink {
	return Sink{Reply: reply, Acked: func([]byte) {}, Failed: func([]byte, error) {}, Event: func(string) {}}
}

// An Event is something that happened to a connection.
type Event struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"` // such as "disconnected: EOF"
}

// A Factory makes the connections of a run. It may also be a [Describer], [Auditor],
// [LeaderFinder], [Echoer], [Grouper], [Sweeper] or [Measurer]: see [As].
type Factory interface {
	// New returns the Requester of connection conn, counted from 0. It does not
	// connect: that is Setup's task. No function of the sink but Event may be
	// called before Setup. All calls of a run come from one goroutine.
	New(conn int, sink Sink) (Requester, error)
}

// As returns f as one of the optional interfaces of a factory. Like [errors.As], it
// looks into factories that wrap another one, which they return from a method
// Unwrap() Factory.
func As[T any](f Factory) (as T, ok bool) {
	for f != nil {
		if as, ok = f.(T); ok {
			return as, true
		}
		wrapper, wraps := f.(interface{ Unwrap() Factory })
		if !wraps {
			break
		}
		f = wrapper.Unwrap()
	}
	return as, false
}
