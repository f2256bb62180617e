package kafka

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	minOpen = time.Millisecond
	maxOpen = 5 * time.Second // the engine's first message must come back within 10 s
	// transactionGrace is how much longer than it stays open a transaction may live, such as
	// while a broker restarts. Then the coordinator aborts it, and franz-go's producer can
	// make none any more. By default brokers allow a quarter of an hour.
	transactionGrace = 5 * time.Minute
)

// transactions say how messages are put into transactions. They are the value of an option.
type transactions struct {
	on   bool
	open time.Duration // how long one stays open; 0: for one message
}

// String implements flag.Value.
func (t *transactions) String() string {
	switch {
	case !t.on:
		return "none"
	case t.open == 0:
		return "each"
	}
	return t.open.String()
}

// Set implements flag.Value.
func (t *transactions) Set(s string) error {
	switch s {
	case "none":
		*t = transactions{}
		return nil
	case "each":
		*t = transactions{on: true}
		return nil
	}
	open, err := time.ParseDuration(s)
	if err != nil || open == 0 {
		return errors.New("want none, each, or how long a transaction stays open, such as 100ms")
	}
	*t = transactions{on: true, open: open}
	return nil
}

func (t *transactions) check() error {
	if t.open == 0 {
		return nil
	}
	return target.Between("transactions", t.open, minOpen, maxOpen)
}

// transactional returns the options for a connection's transactions. Its ID is the name of
// its topic: nobody else has it.
func (o *options) transactional(id string) []kgo.Opt {
	if !o.transactions.on {
		return nil
	}
	return []kgo.Opt{
		kgo.TransactionalID(id),
		kgo.TransactionTimeout(o.transactions.open + transactionGrace),
		kgo.ConcurrentTransactionsBackoff(concurrentBackoff),
		// The run's timeout decides what an outage costs: a commit is asked for until it is
		// answered. How it ends would not be known otherwise.
		kgo.RequestRetries(math.MaxInt32),
		kgo.RetryTimeout(0),
	}
}

// concurrentBackoff is the pause before a transaction that the coordinator still ends is
// asked about again. franz-go's default is 20 ms.
const concurrentBackoff = 5 * time.Millisecond

// errAborted is why a message failed whose transaction was aborted because of another.
var errAborted = errors.New("its transaction was aborted")

func aborted(cause error) error { return fmt.Errorf("%w: %w", errAborted, cause) }
