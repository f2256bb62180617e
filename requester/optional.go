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
	// Timers are the system's own settings that decide how soon it notices that a node is gone, as it
	// reports them; none if it does not.
	Timers []Setting `json:"timers,omitempty"`
	// Durability is what an acknowledged message survives; nil if the system has no levels.
	Durability *Backing `json:"durability,omitempty"`
}

// A Setting is one option of a requester: in a [Description] with the value in
// force, in a list of options with the default. The values of a [Measurer] have the same form.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Doc   string `json:"doc,omitempty"` // one line for a reader
}

// A Measurer is a [Factory] that measures what its client made of the messages, such as how
// many of them shared a batch: settings only say what may become of them. It is optional.
type Measurer interface {
	// Measured returns what was measured so far over all connections. It is called after the
	// last message of a run, before Audit and Teardown, and returns at once.
	Measured() []Setting
}

// Errors of [Auditor.Audit] and [Store.Explain].
var (
	// ErrKeepsNothing: the system keeps no messages.
	ErrKeepsNothing = errors.New("the system keeps no messages")
	// ErrStoreGone: the system says that its store no longer exists, like one in memory
	// after a restart. All messages that were in it are lost.
	ErrStoreGone = errors.New("the store itself is gone")
	// ErrHeld: the system has handed messages to a consumer that has not acknowledged
	// them, so they may come back.
	ErrHeld = errors.New("held by a consumer that has not acknowledged them")
)

// An Auditor is a [Factory] of a system that may keep messages. It is optional.
type Auditor interface {
	// Store states the fixed properties of the store that Audit reads. It is called
	// before New.
	Store() Store

	// Audit reads what the system has kept, from the beginning of its store to the end,
	// over a separate connection and not as the consumers of the run did. It calls
	// kept for each message, from one goroutine, in any order; the payload belongs to
	// the caller. It is called after the last message of a run and before Teardown.
	//
	// An error means that the store was not read to its end. It is ErrKeepsNothing if
	// there is never a store, and ErrStoreGone if there is none any longer. Audit
	// returns soon after ctx is done.
	Audit(ctx context.Context, kept func(payload []byte)) error
}

// A Store states the fixed properties of the store of an [Auditor]. The zero value is a
// log: messages stay in it when they are delivered or read.
type Store struct {
	// Consuming: a consumer takes messages out of the store, as from a queue. Then a
	// message that was acknowledged is safe if it was delivered or is in the store. Audit
	// first stops the consumers, so that nothing is on its way while it reads:
	// messages that have left the store are passed to Reply, and the rest is back in the store.
	Consuming bool

	// Explain is called when Audit has not found all messages that were acknowledged, of
	// a store from which reading removes messages, so that another Audit finds those
	// that have come back since. Nil means that messages which the next Audit does not
	// find either are lost. An error says why they may not be: [ErrHeld] if they may come
	// back, so that the caller looks again; any other error if it cannot be decided. Explain
	// returns soon after ctx is done. A nil function: a message that is not found is lost.
	Explain func(ctx context.Context) error

	// Retention is how many bytes of messages the store keeps, of all connections together; beyond it
	// the oldest are discarded, from the beginning of each log. 0: nothing is discarded. A store with a limit
	// is not Consuming, and its factory is a [StoreMeter].
	Retention int64
	// Logs is how many logs may have messages of one connection; 0: one, in the order in which they were stored.
	Logs int
	// InMemory: the store is in the memory of the system, and not in files.
	InMemory bool
}

// A StoreMeter is an [Auditor] of a system that tells how much it stores. Messages stay in its store
// when they are delivered. It is optional.
type StoreMeter interface {
	Auditor
	// StoreState asks the system what it stores of the run, over a separate connection. It may be called
	// from any goroutine between Setup and Teardown, and returns soon after ctx is done. An error is
	// [ErrKeepsNothing] if the options of the target have it store nothing.
	StoreState(ctx context.Context) (StoreState, error)
}

// A StoreState is what a system says that it stores of a run, of all connections together and of one of its
// copies. A negative number is unknown.
type StoreState struct {
	Messages  int64 // probes included
	Bytes     int64 // as the system counts them: in files, or in memory
	Discarded int64 // messages that the limit of the store has removed
}

// Meter returns the [StoreMeter] of a factory whose target stores messages. The error says in one line why
// there is none.
func Meter(f Factory) (StoreMeter, error) {
	m, ok := As[StoreMeter](f)
	if !ok {
		return nil, ErrNoMeter
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel() // so that nothing is asked
	if _, err := m.StoreState(ended); errors.Is(err, ErrKeepsNothing) {
		return nil, ErrNoMeter
	}
	return m, nil
}

// ErrNoMeter says that the store of a target cannot be filled.
var ErrNoMeter = errors.New("until-store needs a target that keeps messages after they are consumed: nats or redis with the option stream, kafka with acks=1 or all, or rabbitmq-stream; to fill a queue use backlog")

// A LeaderFinder is a [Factory] of a system in which one of several nodes leads what a run
// uses: a stream, a partition, a queue, a master. It is optional.
type LeaderFinder interface {
	// Leadership asks the system who leads what connection conn uses, over a separate
	// connection, which it closes. It may be called from any goroutine between Setup and
	// Teardown, also while nodes are down, and returns soon after ctx is done. An error means
	// that no node says that it leads; it is ErrNoLeader, also before Setup, if what the
	// target uses has no leader.
	Leadership(ctx context.Context, conn int) (Leadership, error)
}

// ErrNoLeader means that the target uses nothing that a node leads.
var ErrNoLeader = errors.New("there is nothing that a node leads")

// A Leadership says who leads, and whether the copies are in step.
type Leadership struct {
	What      string   // such as "stream brokerbench_x_0"
	Leader    string   // host and port at which clients reach the node that leads; or its name, if only that is known
	Followers []string // those that follow, in the same way
	InStep    int      // how many copies have all that was acknowledged, the leader's among them; 0: not known
	Copies    int      // how many there should be
}

// A Sweeper is a [Factory] whose connections create objects that may outlive them, such as
// topics. It is optional. `brokerbench clean` finds and removes those of earlier runs.
type Sweeper interface {
	// Left returns what the connections of this factory created and may not have removed,
	// such as "topic brokerbench.x.0". It may be called at any time, even during Teardown.
	// It is stored with the result, and the user is told.
	Left() []string

	// Find returns all objects on the system that have a name of brokerbench's and that
	// the query wants, and in unseen where it could not look; "" if it saw everything.
	Find(ctx context.Context, q LeftoverQuery) (found []Leftover, unseen string, err error)

	// Remove removes objects that are not in use, and returns an error for each, nil
	// if it is gone.
	Remove(ctx context.Context, leftovers []Leftover) []error
}

// ErrInUse is the error of [Sweeper.Remove] for an object that has been taken into use
// since it was found.
var ErrInUse = errors.New("it is in use again")

// A Leftover is an object on a broker with a name of brokerbench's.
type Leftover struct {
	Kind string    // such as "topic"
	Name string    // brokerbench.<run>.<connection>
	Used time.Time // when it was last used, according to the broker; zero: not known
	Busy string    // why it is in use now; "" if it does not seem to be
}

// A LeftoverQuery says what to look for.
type LeftoverQuery struct {
	Run        string // the run, or the cell of a run; "" is every run
	Management string // the URL of RabbitMQ's management API; "" is where it usually is
}
