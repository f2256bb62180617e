package adapter

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/brokerbench/brokerbench/requester"
)

// auditConn is the connection of the frames of an audit, which is of all connections.
const auditConn = math.MaxUint32

var errNoAdapter = errors.New("the adapter no longer runs")

// Store implements [requester.Auditor]. An adapter must find messages that were delivered, too.
func (f *Factory) Store() requester.Store { return requester.Store{} }

// Audit implements [requester.Auditor]. An adapter that has
// not finished when ctx is done is killed.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	f.mu.Lock()
	said, child := f.said, f.child
	f.mu.Unlock()
	if said["audit"] != "true" {
		return requester.ErrKeepsNothing
	}
	if child == nil {
		return f.explain("auditing", errNoAdapter)
	}
	auditor := f.newConn(auditConn, requester.Sink{})
	auditor.Mute()
	var mu sync.Mutex // the adapter may go on after ctx is done
	over := false
	auditor.keep = func(message []byte) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			kept(message)
		}
	}
	child.join(auditor)
	_, err := child.ask(ctx, audit, auditor, nil)
	mu.Lock()
	over = true
	mu.Unlock()
	if err != nil && ctx.Err() != nil {
		child.kill(err)
	}
	return f.explain("auditing", err)
}

// kept takes a message that an audit has found.
func (c *conn) kept(message []byte) error {
	if c.keep == nil {
		return fmt.Errorf("%w: a message of an audit for connection %d", errGarbage, c.number)
	}
	c.keep(message)
	return nil
}
