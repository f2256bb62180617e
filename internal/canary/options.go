package canary

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// Options say what a canary does.
type Options struct {
	// Config is that of each turn. Its arrivals are constant, and the duration of its schedule does not count.
	Config load.Config
	// Open returns the factory of a turn; run is in the names of its topics.
	Open func(run string) (requester.Factory, error)
	// Clean removes what a run has left on the broker, and reports whether nothing is left. It is called from a
	// separate goroutine, not concurrently. Nil: nothing can be left.
	Clean func(ctx context.Context, run string) (gone bool, err error)
	// Flush is how often the state is written; 0: FlushEvery.
	Flush time.Duration
	// Say takes lines for the user; nil: they are not shown.
	Say func(text string)
	// Show is called after each flush; nil: never. The snapshot is only valid during the call.
	Show func(Snapshot)
	// GiveUp ends Run at once when it is closed; nil: never.
	GiveUp <-chan struct{}
	// Wall returns the wall clock; nil: time.Now.
	Wall func() time.Time
	// Redact removes secrets from a text; nil: there are none.
	Redact func(string) string

	// engine runs a turn: load.Run, and in tests of a month one without threads.
	engine func(context.Context, requester.Factory, load.Config, load.Recorder, load.Hooks) (load.Outcome, error)
}

// A Snapshot is what a canary has measured since its process began.
type Snapshot struct {
	Histograms  Histograms
	Ledger      load.Ledger
	Acks        load.AckLedger
	NotMeasured int64         // with those of the gap before the process
	Up          bool          // messages came back within the timeout, or three intervals of the schedule
	Unmeasured  time.Duration // length of the gaps
	Unwritten   error         // why the last flush failed; nil: it did not
}
