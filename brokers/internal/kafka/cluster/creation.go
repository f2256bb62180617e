package cluster

import (
	"context"
	"time"
)

// A Creation of topics goes on when its context ends: a request that is abandoned may create a topic
// after Teardown has deleted it.
type Creation struct {
	done      chan struct{}      // closed when it is over; nil before
	giveUp    context.CancelFunc // ends it
	abandoned bool               // End has ended it
}

// Run returns when the creation is over, or ctx.
func (c *Creation) Run(ctx context.Context, create func(ctx context.Context) error) error {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.done, c.giveUp = make(chan struct{}), cancel
	var err error
	go func() {
		defer close(c.done)
		err = create(own)
	}()
	select {
	case <-c.done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// End waits for so long for the end of the creation, and ends it then.
func (c *Creation) End(patience time.Duration) {
	if c.done == nil {
		return
	}
	defer c.giveUp()
	select {
	case <-c.done:
	case <-time.After(patience):
		c.abandoned = true
		c.giveUp()
		<-c.done
	}
}

// Abandoned reports whether End has ended the creation: the cluster may create a topic even after it was deleted.
func (c *Creation) Abandoned() bool { return c.abandoned }
