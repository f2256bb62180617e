//go:build linux

package main

import (
	"context"
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// How a store is filled before it is read. No broker reaches the rate, so fillPending
// messages are always in flight.
const (
	stored      = 300_000
	fillRate    = 1_000_000
	fillPending = 2000
)

// audit measures how fast the audit reads and checks a store of 300,000 messages.
func audit(name, broker, options string, atLeast float64) part {
	what := name + ", audit of 300,000 messages of 1 KiB"
	return part{
		what: what, broker: broker, once: atLeast == 0,
		run: func(ctx context.Context, b bench, url string) ([]float64, error) {
			n := stored
			if b.short {
				n /= 100
			}
			c, err := durably(ctx, plan.Cell{
				Target:   plan.Target{Name: "selfbench", URL: withOptions(url, options)},
				Shape:    plan.Shape{Rate: fillRate, Size: size, Connections: 1, InFlight: fillPending},
				Settings: plan.Settings{Duration: time.Duration(n) * time.Second / fillRate, Timeout: 5 * time.Minute},
			})
			if err != nil {
				return nil, err
			}
			if c.Audit == nil {
				return nil, errors.New("nothing was read")
			}
			return []float64{float64(c.Audit.Read) / time.Duration(c.Audit.TookNS).Seconds()}, nil
		},
		figures: []figure{{what: what, write: perSecond, atLeast: atLeast}},
	}
}
