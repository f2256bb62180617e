package target

import (
	"context"
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// Reach calls open with each address in turn, beginning with one that goes by the
// connection's number, until one answers.
func Reach[C any](addrs []string, number int, open func(addr string) (C, error)) (c C, err error) {
	var errs []error
	for i := range addrs {
		if c, err = open(addrs[(number+i)%len(addrs)]); err == nil {
			return c, nil
		}
		errs = append(errs, err)
	}
	return c, errors.Join(errs...)
}

// askNext is how long one address is waited for before another is asked, too.
const askNext = 250 * time.Millisecond

// Ask asks the addresses for the same thing, one a little after the other, and returns the
// first answer. A node that is paused accepts a connection and then says nothing: the others
// are not kept waiting for it. question returns soon after its context is done.
func Ask[A any](ctx context.Context, addrs []string, question func(ctx context.Context, addr string) (A, error)) (answer A, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		answer A
		err    error
	}
	outcomes := make(chan outcome, len(addrs))
	next := time.NewTimer(0)
	defer next.Stop()
	asked, errs := 0, []error(nil)
	for len(errs) < len(addrs) {
		select {
		case <-next.C:
			addr := addrs[asked]
			go func() {
				answer, err := question(ctx, addr)
				outcomes <- outcome{answer, err}
			}()
			if asked++; asked < len(addrs) {
				next.Reset(askNext)
			}
		case o := <-outcomes:
			if o.err == nil {
				return o.answer, nil
			}
			if errs = append(errs, o.err); len(errs) == asked && asked < len(addrs) {
				next.Reset(0)
			}
		case <-ctx.Done():
			return answer, errors.Join(append(errs, ctx.Err())...)
		}
	}
	return answer, errors.Join(errs...)
}

// Known returns those of the named settings that a system reports.
func Known(settings map[string]string, names ...string) (known []requester.Setting) {
	for _, name := range names {
		if value := settings[name]; value != "" {
			known = append(known, requester.Setting{Name: name, Value: value})
		}
	}
	return known
}
