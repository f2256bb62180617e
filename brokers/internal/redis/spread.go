package redis

import (
	"context"
	"errors"
	"sync"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/requester"
)

// A spread is a member of a group in a cluster, whose topics are on several servers: it has a connection for each.
type spread []*conn

func (f *Factory) spread(m requester.Member, sink requester.Sink) (s spread) {
	for _, topic := range f.all.All() {
		c := f.member(m, sink, []*leftover.Shared{topic})
		c.receives = []string{topic.Name}
		s = append(s, c)
	}
	return s
}

// Setup implements [requester.Consumer].
func (s spread) Setup(ctx context.Context) error {
	for _, c := range s {
		if err := c.Setup(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Teardown implements [requester.Consumer].
func (s spread) Teardown(ctx context.Context) error { return s.all(ctx, (*conn).Teardown) }

// Depart implements [requester.Mortal].
func (s spread) Depart(ctx context.Context) error { return s.all(ctx, (*conn).Depart) }

// Kill implements [requester.Mortal].
func (s spread) Kill() {
	for _, c := range s {
		c.Kill()
	}
}

// all calls end for all connections at the same time.
func (s spread) all(ctx context.Context, end func(*conn, context.Context) error) error {
	errs := make([]error, len(s))
	var ends sync.WaitGroup
	for i, c := range s {
		ends.Go(func() { errs[i] = end(c, ctx) })
	}
	ends.Wait()
	return errors.Join(errs...)
}
