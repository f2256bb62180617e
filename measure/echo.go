package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// An Echo is another process that sends messages back. Its methods are called one after the
// other, except that Started may still run when Report is called.
type Echo interface {
	// Open connects the echo, which then sends messages back. It returns soon after ctx is done.
	Open(ctx context.Context) (EchoOpened, error)
	// Started is called when the schedule begins. It may take its time.
	Started()
	// Report returns what the echo did, or that it was lost. It is called once, after the last reply.
	Report() EchoReport
	// Close ends it, and returns what may be left on the target. It may be called twice.
	Close() (left []string)
}

// An EchoOpened is an echo that is open.
type EchoOpened struct {
	// Clock converts a time of this process to the clock that stamps messages. It is called once,
	// at the start of the schedule. Nil if that is unknown.
	Clock func(at time.Time) int64
	// Known is the accuracy of Clock. It is read after Report. Nil if Clock is nil.
	Known *results.EchoClock
	// Wait is how long it may take until messages are sent back; 0: they are already.
	Wait time.Duration
}

// An EchoReport is what an echo did.
type EchoReport struct {
	results.Echo // without the distributions

	Handling *histogram.Histogram // nil if it is not known
	Hiccup   *histogram.Histogram // nil if it is not known
}

// crossed makes a factory take the side of the callers, if there is an echo.
func crossed(f requester.Factory, e Echo) error {
	if e == nil {
		return nil
	}
	echoer, ok := requester.As[requester.Echoer](f)
	if !ok {
		return fmt.Errorf("an echo is not possible: %T receives only what it sends itself", f)
	}
	return echoer.TakeSide(requester.Caller)
}

// echoing is an echo under way; nil without one.
type echoing struct {
	echo     Echo
	known    *results.EchoClock
	begun    chan struct{} // closed when Started has returned; nil before
	reported EchoReport
}

// beginEcho opens an echo, and prepares the engine and the recording for it; nil without one.
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

// started is called when the schedule begins.
func (e *echoing) started() {
	if e == nil {
		return
	}
	e.begun = make(chan struct{})
	go func() {
		defer close(e.begun)
		e.echo.Started()
	}()
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

// handling returns how long the echo had each message; nil if that is not known.
func (e *echoing) handling() *histogram.Histogram {
	if e == nil {
		return nil
	}
	return e.reported.Handling
}

// write writes what the echo did into the log, as one interval that is the whole cell.
func (e *echoing) write(log *record.Log, elapsed time.Duration) {
	if h := e.handling(); h != nil {
		log.Write(record.EchoTag, 0, elapsed, h)
	}
}

// close ends the echo, and returns what may be left of it.
func (e *echoing) close() []string {
	if e == nil {
		return nil
	}
	return e.echo.Close()
}
