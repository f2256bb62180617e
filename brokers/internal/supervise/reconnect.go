package supervise

import (
	"context"
	"regexp"
	"time"
)

// Timeout bounds one attempt to connect again.
const Timeout = 10 * time.Second

// digits of an error do not make it another one: the local port changes with each
// attempt.
var digits = regexp.MustCompile(`[0-9]`)

// Reconnect calls connect, after a pause each time, until it succeeds or consuming ends, and
// notes that, and each reason for a failure once. An attempt that has begun ends with ctx, not
// with consuming: the broker may deliver already.
func (l *Loop) Reconnect(ctx, consuming context.Context, connect func(context.Context) error) {
	began, told := time.Now(), make(map[string]bool)
	for attempt := 1; ; attempt++ {
		select {
		case <-consuming.Done():
			return
		case <-time.After(l.Pause):
		}
		err := within(ctx, connect)
		if err == nil {
			l.Note("reconnected after %v, at attempt %d", time.Since(began).Round(time.Millisecond), attempt)
			return
		}
		if kind := digits.ReplaceAllString(err.Error(), ""); !told[kind] && consuming.Err() == nil {
			l.Note("reconnecting: %v", err)
			told[kind] = true
		}
	}
}

func within(ctx context.Context, connect func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	return connect(ctx)
}
