package requestertest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/brokerbench/brokerbench/requester"
)

// Check runs the suite outside of a test, check by check until ctx ends, and passes the result of each to
// report: a line for each problem, none if the rule was kept.
func Check(ctx context.Context, f requester.Factory, report func(name string, problems []string)) {
	for _, c := range checks(f) {
		if ctx.Err() != nil {
			return
		}
		r := &recorder{ctx: ctx}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer r.cleanup()
			c.do(r, f)
		}()
		<-ended
		if len(r.problems) > 0 {
			r.problems = append(r.problems, r.logs...)
		}
		report(c.name, r.problems)
	}
}

// A recorder is a testing.TB for one check, which runs in a separate goroutine.
type recorder struct {
	testing.TB // nil: the suite calls only what is below

	ctx      context.Context
	mu       sync.Mutex
	problems []string
	logs     []string
	cleanups []func()
}

// Helper implements [testing.TB].
func (r *recorder) Helper() {}

// Context implements [testing.TB].
func (r *recorder) Context() context.Context { return r.ctx }

// FailNow implements [testing.TB].
func (r *recorder) FailNow() { runtime.Goexit() }

// Cleanup implements [testing.TB].
func (r *recorder) Cleanup(do func()) { r.cleanups = append(r.cleanups, do) }

// Failed implements [testing.TB].
func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.problems) > 0
}

// Error implements [testing.TB].
func (r *recorder) Error(args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems = append(r.problems, strings.TrimSpace(fmt.Sprintln(args...)))
}

// Logf implements [testing.TB].
func (r *recorder) Logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}

// Errorf implements [testing.TB].
func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }

// Fatal implements [testing.TB].
func (r *recorder) Fatal(args ...any) {
	r.Error(args...)
	r.FailNow()
}

// Fatalf implements [testing.TB].
func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }

// cleanup does what Cleanup was given, the last first, also if one of them ends the goroutine.
func (r *recorder) cleanup() {
	if len(r.cleanups) == 0 {
		return
	}
	last := r.cleanups[len(r.cleanups)-1]
	r.cleanups = r.cleanups[:len(r.cleanups)-1]
	defer r.cleanup()
	last()
}
