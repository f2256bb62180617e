package transport

import (
	"context"
	"fmt"
	"regexp"
	"time"
)

// A Reconnector is the goroutine that connects again whenever a connection is lost, for
// clients that do not reconnect by themselves, and the events that report it. Its methods
// are safe for concurrent use after Begin.
type Reconnector struct {
	Pause time.Duration     // before each attempt to reconnect
	Event func(text string) // takes the events

	cancel        context.CancelFunc // nil before Begin
	stopConsuming context.CancelFunc
	ended         chan struct{}
}

// Note reports an event.
func (r *Reconnector) Note(format string, args ...any) { r.Event(fmt.Sprintf(format, args...)) }

// Begin returns the contexts of the goroutine, which the caller starts after it. Stop ends both;
// StopConsuming ends only consuming, so that messages that were delivered are still passed on.
func (r *Reconnector) Begin(setup context.Context) (ctx, consuming context.Context) {
	r.ended = make(chan struct{})
	ctx, r.cancel = context.WithCancel(context.WithoutCancel(setup))
	consuming, r.stopConsuming = context.WithCancel(ctx)
	return ctx, consuming
}

// End records that the goroutine has ended.
func (r *Reconnector) End() { close(r.ended) }

// Stop ends the goroutine, if it has begun, and waits for it. When ctx ends it calls cut, which ends
// whatever waits for the broker.
func (r *Reconnector) Stop(ctx context.Context, cut func()) {
	if r.cancel == nil {
		return
	}
	r.cancel()
	defer context.AfterFunc(ctx, cut)()
	<-r.ended
}

// StopConsuming ends the goroutine, if it has begun, so that the broker keeps all messages that
// are not delivered. It waits for the goroutine until ctx ends.
func (r *Reconnector) StopConsuming(ctx context.Context) error {
	if r.cancel == nil {
		return nil
	}
	r.stopConsuming()
	select {
	case <-r.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ReconnectTimeout bounds one attempt to connect again.
const ReconnectTimeout = 10 * time.Second

// digits of an error do not make it another one: the local port changes with each
// attempt.
var digits = regexp.MustCompile(`[0-9]`)

// Reconnect calls connect, after a pause each time, until it succeeds or consuming ends, and
// reports that, and each reason for a failure once. An attempt that has begun ends with ctx, not
// with consuming: the broker may deliver already.
func (r *Reconnector) Reconnect(ctx, consuming context.Context, connect func(context.Context) error) {
	began, told := time.Now(), make(map[string]bool)
	for attempt := 1; ; attempt++ {
		select {
		case <-consuming.Done():
			return
		case <-time.After(r.Pause):
		}
		err := within(ctx, connect)
		if err == nil {
			r.Note("reconnected after %v, at attempt %d", time.Since(began).Round(time.Millisecond), attempt)
			return
		}
		if kind := digits.ReplaceAllString(err.Error(), ""); !told[kind] && consuming.Err() == nil {
			r.Note("reconnecting: %v", err)
			told[kind] = true
		}
	}
}

func within(ctx context.Context, connect func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, ReconnectTimeout)
	defer cancel()
	return connect(ctx)
}
