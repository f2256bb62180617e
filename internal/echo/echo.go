// Package echo sends back what others send: the far end of a round trip over two hops. It is
// two names of one connection: a message that a [requester.Echoer] of the side [requester.Echo]
// receives is stamped and sent to where the caller receives.
//
// A message is sent in the call in which its client handed it over, before the next one is
// taken: there is no queue here. If the system accepts no further messages, the echo stops receiving,
// and messages wait in the system and in the client, as with any such service.
package echo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/setup"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	teardownTimeout = 5 * time.Second // for all together
	shards          = 8               // locks over which goroutines that send spread
)

// A Config says what to send back.
type Config struct {
	Factory     requester.Factory // whose connections are of the side requester.Echo
	Connections int               // as many as the callers have, with the same numbers
	Size        int               // of a message, in bytes; larger ones are sent back as well
	// Clock returns what the callers' clock shows, in nanoseconds, or a clock whose
	// difference from theirs they know. It is called for each message. Nil: nothing is known; then a message
	// only says that it was here.
	Clock func() int64
	// Delay is how long each message waits here, for tests; 0: none does.
	Delay time.Duration
}

// An Echo sends back. It is safe for concurrent use.
type Echo struct {
	cfg      Config
	began    time.Time
	lines    []*line
	handling *histogram.Recorder // from being given a message until its client has taken it
	ctx      context.Context     // of every Request
	cancel   context.CancelFunc

	mu    sync.Mutex
	cause error // why the first one failed
}

// Open sets up the connections, and sends back from then on. After an error nothing is left
// open. The caller calls Close.
func Open(ctx context.Context, cfg Config) (*Echo, error) {
	e := &Echo{cfg: cfg, began: time.Now(), handling: histogram.NewRecorder(1, shards)}
	e.ctx, e.cancel = context.WithCancel(context.WithoutCancel(ctx))
	err := e.make()
	if err == nil {
		err = e.setup(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// make makes the connections.
func (e *Echo) make() error {
	for number := range e.cfg.Connections {
		l := &line{echo: e, number: number, buffer: make([]byte, e.cfg.Size)}
		sink := requester.Replies(l.reply) // the callers measure acknowledgements and events themselves
		sink.Failed = func(_ []byte, cause error) { l.fail(cause) }
		made, err := e.cfg.Factory.New(number, sink)
		if err != nil {
			return fmt.Errorf("echo: making connection %d: %w", number, err)
		}
		l.requester = made
		e.lines = append(e.lines, l)
	}
	return nil
}

// setup sets up the connections.
func (e *Echo) setup(ctx context.Context) error {
	err := setup.All(ctx, len(e.lines), func(i int) requester.Consumer { return e.lines[i].requester }, func(done <-chan struct{}, limit time.Duration) bool {
		select {
		case <-done:
			return true
		case <-time.After(limit):
			return false
		}
	})
	if err != nil {
		return fmt.Errorf("echo: %w", err)
	}
	return nil
}

// Close ends the connections. It takes five seconds at most, whatever they do.
func (e *Echo) Close() error {
	e.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), teardownTimeout)
	defer cancel()
	done := make(chan error, len(e.lines))
	for _, l := range e.lines {
		go func() { done <- l.requester.Teardown(ctx) }()
	}
	var errs []error
	late := time.After(teardownTimeout + time.Second)
	for range e.lines {
		select {
		case err := <-done:
			errs = append(errs, err)
		case <-late:
			return errors.Join(append(errs, errors.New("echo: a connection does not end"))...)
		}
	}
	return errors.Join(errs...)
}

// Left returns what Close could not remove.
func (e *Echo) Left() []string {
	if s, ok := requester.As[requester.Sweeper](e.cfg.Factory); ok {
		return s.Left()
	}
	return nil
}

// A Report says what an echo did since it was opened.
type Report struct {
	Received int64
	Failed   int64                // could not be sent back
	Cause    string               // why the first could not
	Handling *histogram.Histogram // from being given a message until its client had taken it
	Busy     float64              // the share of the time, 0 to 1, that the busiest connection spent so
}

// Report returns what was done so far. Handling is what came since the last call.
func (e *Echo) Report() Report {
	r := Report{Handling: histogram.New()}
	e.handling.Swap([]*histogram.Histogram{r.Handling})
	for _, l := range e.lines {
		r.Received += l.received.Load()
		r.Failed += l.failed.Load()
		if span := l.last.Load() - l.first.Load(); span > int64(time.Second) { // of less it means nothing
			r.Busy = max(r.Busy, min(float64(l.busy.Load())/float64(span), 1))
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cause != nil {
		r.Cause = e.cause.Error()
	}
	return r
}

// A line is one connection.
type line struct {
	echo      *Echo
	number    int
	requester requester.Requester

	mu     sync.Mutex // held while one message is sent: Request is not called concurrently
	buffer []byte

	received, failed atomic.Int64
	busy             atomic.Int64 // nanoseconds
	first, last      atomic.Int64 // when the first message came and the last left, after began
}

// reply is Reply of a line's requester.Sink: it sends the message back. It allocates nothing
// unless the message is larger than Config.Size.
func (l *line) reply(payload []byte) {
	begun := time.Now()
	at := int64(1)
	if l.echo.cfg.Clock != nil {
		at = l.echo.cfg.Clock()
	}
	if len(payload) < requester.StampSize+requester.EchoSize {
		return // nobody could tell that it was here
	}
	l.send(payload, at)
	if stamp, _ := requester.ReadStamp(payload); stamp.Seq == requester.ProbeSeq {
		return // it is none of the schedule's
	}
	took := time.Since(begun)
	l.received.Add(1)
	l.busy.Add(int64(took))
	l.first.CompareAndSwap(0, int64(begun.Sub(l.echo.began)))
	l.last.Store(int64(begun.Sub(l.echo.began) + took))
	samples := [1]histogram.Sample{{Value: took}}
	l.echo.handling.Record(l.number, samples[:])
}

// send sends a message that was received at that moment.
func (l *line) send(payload []byte, at int64) {
	if l.echo.cfg.Delay > 0 {
		time.Sleep(l.echo.cfg.Delay)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buffer = append(l.buffer[:0], payload...) // it belongs to the client, and may be read by others
	requester.PutEcho(l.buffer, at)
	if err := l.requester.Request(l.echo.ctx, l.buffer); err != nil {
		l.fail(err)
	}
}

// fail counts a message that was not sent back.
func (l *line) fail(cause error) {
	l.failed.Add(1)
	l.echo.mu.Lock()
	defer l.echo.mu.Unlock()
	if l.echo.cause == nil {
		l.echo.cause = cause
	}
}
