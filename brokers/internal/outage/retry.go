package outage

import (
	"context"
	"regexp"
	"time"
)

// digits of an error do not make it another one: the local port changes with each
// attempt.
var digits = regexp.MustCompile(`[0-9]`)

// Retry calls try, after a pause each time, until it succeeds or ctx ends. It returns how
// often it did so, and whether it succeeded. It calls failed with each reason once.
func Retry(ctx context.Context, pause time.Duration, try func() error, failed func(error)) (attempts int, ok bool) {
	told := make(map[string]bool)
	for attempts = 1; ; attempts++ {
		select {
		case <-ctx.Done():
			return attempts, false
		case <-time.After(pause):
		}
		err := try()
		if err == nil {
			return attempts, true
		}
		if kind := digits.ReplaceAllString(err.Error(), ""); !told[kind] && ctx.Err() == nil {
			failed(err)
			told[kind] = true
		}
	}
}
