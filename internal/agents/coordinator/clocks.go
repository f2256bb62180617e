package coordinator

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/attempt"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

const (
	exchanges       = 50 // of a reading, of which the one with the shortest round trip counts
	exchangeTimeout = time.Second
	exchangePause   = 200 * time.Millisecond // after one that failed at once
	mostFailed      = 3                      // exchanges in a row: the agent does not answer
	mostReadings    = 8                      // at a time: more would wait for each other, and so seem further away
)

// ask has an agent's clock read, unless that is under way.
func (c *Coordinator) ask(t *trial, p *participant, exchanges int) {
	if p.asking {
		return
	}
	p.asking = true
	go func() {
		clock, _ := c.clockOf(t.reading, p.seat, exchanges)
		t.synced <- synced{p, clock}
	}()
}

// clockOf reads an agent's clock by so many exchanges, once fewer than mostReadings do.
func (c *Coordinator) clockOf(ctx context.Context, s seat, exchanges int) (best attempt.Clock, ok bool) {
	select {
	case c.readings <- struct{}{}:
		defer func() { <-c.readings }()
	case <-ctx.Done():
		return best, false
	}
	for failed := 0; exchanges > 0 && failed < mostFailed && ctx.Err() == nil; exchanges-- {
		clock, answered := c.exchange(ctx, s)
		if !answered {
			failed++
			continue
		}
		failed = 0
		if !ok || clock.RTT < best.RTT {
			best, ok = clock, true
		}
	}
	return best, ok
}

// exchange reads an agent's clock once.
func (c *Coordinator) exchange(ctx context.Context, s seat) (clock attempt.Clock, ok bool) {
	text, err := json.Marshal(wire.Order{Kind: wire.Clock, Epoch: s.epoch})
	if err != nil {
		return clock, false
	}
	limited, cancel := context.WithTimeout(ctx, exchangeTimeout)
	defer cancel()
	asked := c.now()
	m, err := c.cfg.Conn.RequestWithContext(limited, c.subjects.Orders(s.name), text)
	answered := c.now()
	var t wire.Tick
	if err != nil || json.Unmarshal(m.Data, &t) != nil {
		select {
		case <-time.After(exchangePause):
		case <-ctx.Done():
		}
		return clock, false
	}
	rtt := answered - asked - (t.Left - t.Came)
	return attempt.Clock{Offset: (t.Came - asked + t.Left - answered) / 2, Bound: max(rtt/2, 1), RTT: rtt}, true
}

// clocksOf reads the clocks of the agents of an attempt that are not lost, a few at a time. Who
// does not answer is not in the result, nor is who was not asked before the user gave up.
func (c *Coordinator) clocksOf(ctx context.Context, t *trial) map[string]reading {
	ctx, cancel := c.unlessGivenUp(ctx)
	defer cancel()
	var mu sync.Mutex
	var all sync.WaitGroup
	clocks, losses := make(map[string]reading), t.state.Losses()
	for _, p := range t.agents {
		if _, lost := losses[p.name]; lost {
			continue
		}
		all.Go(func() {
			if clock, ok := c.clockOf(ctx, p.seat, exchanges); ok {
				mu.Lock()
				defer mu.Unlock()
				clocks[p.name] = reading{clock, c.now()}
			}
		})
	}
	all.Wait()
	return clocks
}

// A reading is what is known of a clock, since when.
type reading struct {
	attempt.Clock

	at time.Duration
}
