//go:build linux

package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// soaks are the parts of `make soak`: each measures one long cell, and watches the
// memory of brokerbench meanwhile.
func soaks(window time.Duration) []part {
	return []part{
		soak("NATS", "", window, 1.05),
		// What has no reply is remembered, 32 B each, up to 8 MiB: a reply may come yet.
		soak("loopback", "loopback:?delay=1ms&drop=0.01", window, 0),
	}
}

// soak measures 20,000/s over 25 connections, of NATS or of another target.
func soak(name, url string, window time.Duration, growth float64) part {
	what := fmt.Sprintf("%s, 1 KiB at 20,000/s over 25 connections for %v", name, window)
	broker := strings.ToLower(name)
	if url != "" {
		what, broker = fmt.Sprintf("%s (%s)", what, url), ""
	}
	return part{
		what: what, broker: broker, once: true,
		run: func(ctx context.Context, b bench, found string) ([]float64, error) {
			if url != "" {
				found = url
			}
			p, err := b.brokerbench(ctx, found, plan.Shape{Rate: 20_000, Size: size, Connections: 25}, b.warmup, window, "--report", "off") // the page is made afterwards
			if err != nil {
				return nil, err
			}
			second, last := p.minutes()
			return []float64{last / second, p.resident, float64(p.cell.Ledger.Done)}, nil
		},
		figures: []figure{
			{what: what + ": resident in the last minute over the second", write: ratio, atMost: growth},
			{what: what + ": resident", write: megabytes, atMost: 100e6},
			{what: what + ": messages done", write: count},
		},
	}
}

// minutes returns the medians of the second minute and of the last; of the second
// and the last third, where a run is shorter than three minutes.
func (m memory) minutes() (second, last float64) {
	n := len(m.seconds)
	minute := min(60, n/3)
	if minute == 0 {
		return 0, 0
	}
	return median(m.seconds[minute : 2*minute]), median(m.seconds[n-minute:])
}
