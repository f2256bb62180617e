package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// An Echo is another process that sends messages back. Its methods are called one after the
// other, but for Started, which may still be running when Report is called.
type Echo interface {
	// Open has it connect, and send back from then on. It returns soon after ctx is done.
	Open(ctx context.Context) (EchoOpened, error)
	// Started is called when the schedule begins. It may take its time.
	Started()
	// Report returns what it did; once, when nothing is awaited any more. Of one that was lost
	// it says so.
	Report() EchoReport
	// Close ends it, and returns what may be left on the target. It may be called twice.
	Close() (left []string)
}

// An EchoOpened is an echo that is open.
type EchoOpened struct {
	// Clock returns what the clock by which messages are stamped shows at a moment of this process.
	// It is called once, at the start of the schedule. Nil if that is not known.
	Clock func(at time.Time) int64
	// Known is how well Clock is known. It is read after Report. Nil if Clock is.
	Known *results.EchoClock
	// Wait is how long it may take until the messages of this process are sent back; 0: they are.
	Wait time.Duration
}

// An EchoReport is what an echo did.
type EchoReport struct {
	results.Echo // without the distributions

	Handling *histogram.Histogram // nil if it is not known
	Hiccup   *histogram.Histogram // nil if it is not known
}

// crossed makes a factory that of the callers, if there is an echo.
func crossed(f requester.Factory, e Echo) error {
	if e == nil {
		return nil
	}
	crosser, ok := f.(requester.Crosser)
	if !ok {
		return fmt.Errorf("an echo is not possible: %T receives only what it sends itself", f)
	}
	return crosser.Cross(requester.Caller)
}

// echoing is an echo under way. A nil one is none.
type echoing struct {
	echo     Echo
	known    *results.EchoClock
	begun    chan struct{} // closed when Started has returned; nil before
	reported EchoReport
}

// beginEcho opens an echo, and has the engine and the recording expect it; nil if there is none.
func beginEcho(ctx context.Context, e Echo, in *intervals, cfg *load.Config) (*echoing, error) {
	if e == nil {
		return nil, nil
	}
	opened, err := e.Open(ctx)
	if err != nil {
		e.Close()
		return nil, fmt.Errorf("opening the echo: %w", err)
	}
	cfg.Echo = &load.Echo{Clock: opened.Clock, Wait: opened.Wait}
	if opened.Clock != nil {
		in.echoes()
	}
	return &echoing{echo: e, known: opened.Known}, nil
}

// started returns the hook for the beginning of the schedule, which calls next first.
func (e *echoing) started(next func(time.Time)) func(time.Time) {
	if e == nil {
		return next
	}
	return func(start time.Time) {
		next(start)
		e.begun = make(chan struct{})
		go func() {
			defer close(e.begun)
			e.echo.Started()
		}()
	}
}

// report asks what the echo did.
func (e *echoing) report() {
	if e != nil {
		<-e.begun
		e.reported = e.echo.Report()
	}
}

// result returns what the echo did; nil without one.
func (e *echoing) result() *results.Echo {
	if e == nil {
		return nil
	}
	r := e.reported.Echo
	r.Clock = e.known
	if h := e.reported.Handling; h != nil {
		r.Handling = results.NewDistribution(h, 0)
	}
	if h := e.reported.Hiccup; h != nil {
		d := results.NewDistribution(h, 0)
		r.Hiccup = &d
	}
	return &r
}

// echoTag is the tag, in the interval log, of how long the echo had each message.
const echoTag = "echo"

// handling returns how long the echo had each message; nil if that is not known.
func (e *echoing) handling() *histogram.Histogram {
	if e == nil {
		return nil
	}
	return e.reported.Handling
}

// write writes what the echo did into the log, as one interval that is the whole cell.
func (e *echoing) write(log *intervalLog, elapsed time.Duration) {
	if h := e.handling(); h != nil {
		log.write(echoTag, 0, elapsed, h)
	}
}

// close ends the echo, and returns what may be left of it.
func (e *echoing) close() []string {
	if e == nil {
		return nil
	}
	return e.echo.Close()
}

// saveEcho writes the tables of the two halves of the way, and of the echo.
func saveEcho(folder *results.CellFolder, t totals, handling *histogram.Histogram) error {
	for name, h := range map[string]*histogram.Histogram{results.OutwardFile: t[outward], results.BackFile: t[back], results.EchoFile: handling} {
		if h == nil {
			continue
		}
		if err := folder.SavePercentiles(name, h); err != nil {
			return err
		}
	}
	return nil
}
