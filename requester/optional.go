package requester

import (
	"context"
	"errors"
	"time"
)

// A Describer is a [Factory] that says what it measures. It is optional.
type Describer interface {
	// Describe asks the system under test what it is, over a connection that it
	// opens and closes itself. It is called before New. An error means that the
	// system cannot be reached: nothing is measured.
	Describe(ctx context.Context) (Description, error)
}

// A Description says what was measured and through which client. It is stored
// with every result, because the client's settings affect the latency.
type Description struct {
	Product  string    `json:"product"`  // such as "NATS"
	Version  string    `json:"version"`  // as the system itself reports it; "" if it does not
	Client   string    `json:"client"`   // module and version of the client library
	Settings []Setting `json:"settings"` // every setting in force, including defaults; no passwords
	// Durability is what an acknowledged message survives; nil if the system has no levels.
	Durability *Backing `json:"durability,omitempty"`
}

// A Setting is one option of a requester: in a [Description] with the value in
// force, in a list of options with the default. What a [Measurer] measured has the same form.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Doc   string `json:"doc,omitempty"` // one line for a reader
}

// A FailureNotifier is a [Requester] that may learn after Request has returned
// that a message was not carried: the broker refused it, say. It is optional.
// Without it such a message counts as lost at the end of the run, not as failed.
type FailureNotifier interface {
	// NotifyFailure sets the function to call for each such message, with its
	// payload, of which the first [StampSize] bytes suffice, and the cause. The
	// engine calls NotifyFailure once, before Setup. For fail the rules of
	// [Reply] hold: it may be called from any goroutine, may call Request, and
	// does not keep payload.
	NotifyFailure(fail func(payload []byte, cause error))
}

// An Acknowledger is a [Requester] whose system says of each message that it took
// responsibility for it: a publisher confirm, a produce response, the reply of XADD.
// It is optional. What an acknowledgement promises is the system's own matter, and may
// differ from one setting to another; the engine keeps when it came, and whether the
// message came back as well.
type Acknowledger interface {
	// NotifyAck sets the function to call for each message that was acknowledged, with
	// its payload, of which the first [StampSize] bytes suffice. The engine calls
	// NotifyAck once, before Setup. It reads the clock first thing, so call ack as soon as
	// the acknowledgement is there, whether the message itself was passed to Reply before
	// or not. The rules of [Reply] hold: ack may be called from any goroutine, may call
	// Request, and does not keep payload. A message that the system refuses goes to the
	// function of a [FailureNotifier].
	NotifyAck(ack func(payload []byte))
}

// A SocketWriter is a [Requester] that may say when a message left its client: when
// Request returns without an error, its bytes are with the kernel. It is optional. A client
// that puts them into a buffer for a goroutine of its own to write does not tell.
type SocketWriter interface {
	// WritesToSocket tells whether Request writes to the socket itself, with the settings
	// in force. It is called once, after Setup.
	WritesToSocket() bool
}

// A Measurer is a [Factory] that measures what its client makes of the messages, such as how
// many of them share a batch: settings only say what may become of them. It is optional.
type Measurer interface {
	// Measured returns what was measured so far over all connections. It is called after the
	// last message of a run, before Audit and Teardown, and returns at once.
	Measured() []Setting
}

// ErrKeepsNothing is the error of an [Auditor] whose system keeps no message.
var ErrKeepsNothing = errors.New("the system keeps no messages")

// ErrStoreGone is the error of an [Auditor] that was told by the system that its store is
// there no more, as one in memory after a restart: with it, all that was in it is lost.
var ErrStoreGone = errors.New("the store itself is gone")

// An Auditor is a [Factory] of a system that may keep messages. It is optional.
type Auditor interface {
	// Audit reads what the system has kept, from the beginning of its store to the end,
	// over a connection of its own and not as the subscribers of the run did. It calls
	// kept for each message, from one goroutine, in any order; the payload belongs to
	// the caller. It is called after the last message of a run and before Teardown.
	//
	// An error says that the store was not read to its end; ErrKeepsNothing that there
	// never is one, and ErrStoreGone that there is none any more. It returns soon after
	// ctx is done.
	Audit(ctx context.Context, kept func(payload []byte)) error
}

// A Taker is an [Auditor] whose consumers may take messages out of the store: what was
// delivered is not in it any more, as with a queue. So what was acknowledged is kept if it was
// delivered or is in the store. It is optional.
type Taker interface {
	Auditor
	// Takes tells whether that is so. If it is, Audit first ends what the Requesters still
	// consume, so that nothing is on its way while it reads: what has left the store for
	// good is passed to Reply, and the rest is back in the store.
	Takes() bool
}

// ErrHeld is the error of a [Doubter] whose system has handed messages to a consumer that has
// not acknowledged them: they may come back.
var ErrHeld = errors.New("held by a consumer that has not acknowledged them")

// A Doubter is an [Auditor] that may know why a message which it did not find is not lost. It
// is optional, and for stores which an Audit empties: another finds what has come back since.
type Doubter interface {
	Auditor
	// Doubt is called when Audit has not found all that was acknowledged. Nil says that what
	// the next Audit does not find either is lost. An error says why it may not be:
	// [ErrHeld] that it may come back, and is to be looked for again; any other, that
	// nobody can tell any more. It returns soon after ctx is done.
	Doubt(ctx context.Context) error
}

// A Leads is a [Factory] of a system in which one of several nodes leads what a run uses: a
// stream, a partition, a queue, a master. It is optional.
type Leads interface {
	// Leadership asks the system who leads what connection conn uses, over a connection of
	// its own, which it closes. It may be called from any goroutine between Setup and
	// Teardown, also while nodes are down, and returns soon after ctx is done. An error means
	// that nobody admits to lead; it is ErrNoLeader, also before Setup, if what the target is
	// asked to use has no leader.
	Leadership(ctx context.Context, conn int) (Leadership, error)
}

// ErrNoLeader is that there is nobody to lead what a run uses.
var ErrNoLeader = errors.New("there is nothing that a node leads")

// A Leadership says who leads, and whether the copies are in step.
type Leadership struct {
	What      string   // such as "stream brokerbench_x_0"
	Leader    string   // host and port at which clients reach the node that leads; or its name, if only that is known
	Followers []string // those that follow, in the same way
	InStep    int      // how many copies have all that was acknowledged, the leader's among them; 0: not known
	Copies    int      // how many there should be
}

// An InFlightLimiter is a [Requester] that can carry only so many messages at a
// time. It is optional. The engine queues messages that are due beyond the limit;
// the time in that queue is part of the response time but not of the service time.
type InFlightLimiter interface {
	// InFlightLimit returns the limit, at least 1. It is called before Setup.
	InFlightLimit() int
}

// A Witness is a [Requester] that reports what happens to its connection: it was
// lost, it reconnected, the broker warned of a slow consumer. It is optional. The
// events are stored with the result. Embed an [EventLog] to implement it.
type Witness interface {
	// Events returns all events so far, oldest first. It may be called from any
	// goroutine, even after Teardown.
	Events() []Event
}

// A Leaver is a [Requester] whose Setup makes what outlives the connection, such as a
// topic. It is optional. What Teardown could not remove is stored with the result,
// and the user is told.
type Leaver interface {
	// Left returns what Setup made and may still be there, such as "topic
	// brokerbench.x.0". It may be called from any goroutine, even during Teardown.
	Left() []string
}

// An Event is something that happened to a connection.
type Event struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"` // such as "disconnected: EOF"
}
