package load

import (
	"context"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/setup"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load/internal/order"
)

const probeTimeout = 10 * time.Second

// connect makes and sets up every connection, and probes the first with a message
// of the run's own size. After an error it tears everything down.
func (r *run) connect(ctx context.Context, f requester.Factory) error {
	err := r.makeConns(f)
	if err == nil && !r.cfg.Topology.Own() {
		err = r.makeMembers(ctx, f)
	}
	if err == nil {
		err = r.setup(ctx)
	}
	switch {
	case err != nil:
	case r.cfg.Topology.Own():
		err = r.probeSize(ctx)
	default:
		err = r.probeTopics(ctx)
	}
	if err != nil {
		r.cancel()
		r.teardown()
	}
	return err
}

func (r *run) makeConns(f requester.Factory) error {
	if !r.cfg.Topology.Own() {
		if _, err := requester.Arrange(f, r.cfg.Topology); err != nil {
			return err
		}
	}
	for i, part := range r.parts {
		c := &conn{run: r, index: i, id: uint32(part.Index), sizes: make([]Ledger, r.body.Mix().Len())}
		if n := len(r.cfg.Sections); n > 0 {
			c.sections = make([]Account, n)
		}
		c.arrivals, c.sends = r.cfg.Schedule.Cursor(part), r.cfg.Schedule.Cursor(part)
		if r.cfg.Topology.Own() && r.deal != nil {
			c.keyed = order.New(1, r.deal)
		}
		c.group()
		made, err := f.New(i, requester.Sink{Reply: c.replies(), Acked: c.ack, Failed: c.failure, Event: c.log.Add, From: func(partition int) { c.from = partitionOf(partition) }})
		if err != nil {
			return fmt.Errorf("making connection %d: %w", i, err)
		}
		c.requester, c.traits = made, made.Traits()
		c.limit, c.keepsSlots = r.cfg.limit(c.traits.InFlight)
		r.conns = append(r.conns, c)
	}
	return nil
}

// setup sets up the connections.
func (r *run) setup(ctx context.Context) error {
	return setup.All(ctx, len(r.conns), func(i int) requester.Consumer { return r.conns[i].requester }, r.wait)
}

// probeSize sends one message of the run's size over the first connection and
// waits for it: a size that the broker refuses is an error before the run, not
// 100 % loss after it.
func (r *run) probeSize(ctx context.Context) error {
	wait := time.Duration(0)
	if r.cfg.Echo != nil {
		wait = r.cfg.Echo.Wait
	}
	for begun := time.Now(); ; {
		limit := probeTimeout
		if wait > 0 {
			limit = probeAgain
		}
		returned, err := r.probeOnce(ctx, r.conns[0], limit)
		if err == nil || ctx.Err() != nil || time.Since(begun) >= wait || !r.wait(returned, limit) {
			return err
		}
		r.wait(ctx.Done(), probeAgain/5) // it may have failed at once
	}
}

// probeAgain is after how long the probe is sent again to an echo that may not be there yet.
const probeAgain = time.Second

// probeOnce sends the probe over a connection, and waits for it so long. It tells when its Request has returned.
func (r *run) probeOnce(ctx context.Context, c *conn, limit time.Duration) (<-chan struct{}, error) {
	payload := r.body.Fill(make([]byte, r.cfg.Size), c.stamp(requester.ProbeSeq))
	returned := make(chan struct{})
	go func() { // Request may block for good
		defer close(returned)
		if err := c.requester.Request(r.ctx, payload); err != nil {
			r.probed(err)
		}
	}()
	if err := r.awaitProbe(ctx, returned, limit); err != nil {
		return returned, fmt.Errorf("probing with a message of %d B: %w", r.cfg.Size, after(err, c.log.All()))
	}
	return returned, nil
}

// awaitProbe waits for the probe's reply, and for its Request to return: the next
// one must not be called before.
func (r *run) awaitProbe(ctx context.Context, returned <-chan struct{}, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no reply within %v", limit))
	defer cancel()
	select {
	case err := <-r.probe:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-returned:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the reply came, but Request does not return: %w", context.Cause(ctx))
	}
}

// after returns an error with the last of the events, which often names the cause.
func after(err error, events []requester.Event) error {
	if len(events) == 0 {
		return err
	}
	return fmt.Errorf("%w; the connection's last event: %s", err, events[len(events)-1].Text)
}

// probed ends the probe with a cause, or with success for nil.
func (r *run) probed(cause error) {
	select {
	case r.probe <- cause:
	default: // a second reply, or one that came too late
	}
}
