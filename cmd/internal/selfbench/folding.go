//go:build linux

package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// earlyPart is the part of each second in which brokerbench's own work would show.
const earlyPart = 25 * time.Millisecond

// fold compares the messages that are due in the first 25 ms of each second, in which
// brokerbench takes an interval, with the rest: what they wait longer is the tool's.
func fold(name string, rate, connections int) part {
	what := fmt.Sprintf("%s, 1 KiB at %d/s over %d connections: response p99 of what is due in the first 25 ms of a second over the rest", name, rate, connections)
	return part{
		what: what, broker: strings.ToLower(name), halved: true,
		run: func(ctx context.Context, b bench, url string) ([]float64, error) {
			inner, err := open(url)
			if err != nil {
				return nil, err
			}
			b.window *= 4
			f := &folding{Factory: inner, cell: cellAt(b, url, rate, connections), recorder: histogram.NewRecorder(2, connections)}
			if _, err = everything(ctx, f, f.cell, f.begin); err != nil {
				return nil, err
			}
			early, rest := f.quantiles(99)
			return []float64{early / rest}, nil
		},
		figures: []figure{{what: what, write: ratio, atMost: 1.15}},
	}
}

// folding is a factory that records the response of each message a second time, by
// when in a second the message was due. It stands between the engine and the
// requester, so it needs nothing of either.
type folding struct {
	requester.Factory
	cell     plan.Cell
	recorder *histogram.Recorder // of what is due early in a second, and of the rest
	start    atomic.Pointer[time.Time]
}

// begin is measure.Options.Started.
func (f *folding) begin(start time.Time) { f.start.Store(&start) }

// New implements requester.Factory.
func (f *folding) New(conn int, reply requester.Reply) (requester.Requester, error) {
	return f.Factory.New(conn, func(payload []byte) {
		f.record(conn, payload)
		reply(payload)
	})
}

func (f *folding) record(conn int, payload []byte) {
	now := time.Now()
	start := f.start.Load()
	stamp, ok := requester.ReadStamp(payload)
	if start == nil || !ok || stamp.Seq == requester.ProbeSeq {
		return
	}
	// Constant arrivals: message n of the whole schedule goes to connection n mod
	// connections, and is due at n/rate.
	n := int64(stamp.Seq)*int64(f.cell.Shape.Connections) + int64(conn)
	due := time.Duration(n * int64(time.Second) / int64(f.cell.Shape.Rate))
	if due < f.cell.Settings.Warmup {
		return
	}
	series := 0
	if due%time.Second >= earlyPart {
		series = 1
	}
	samples := [1]histogram.Sample{{Series: series, Value: now.Sub(*start) - due}}
	f.recorder.Record(conn, samples[:])
}

// quantiles returns a percentile of what was due early in a second, and of the rest.
func (f *folding) quantiles(p float64) (early, rest float64) {
	both := []*histogram.Histogram{histogram.New(), histogram.New()}
	f.recorder.Swap(both)
	return float64(both[0].Quantile(p)), float64(both[1].Quantile(p))
}
