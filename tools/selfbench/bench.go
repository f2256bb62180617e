//go:build linux

package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/host"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// The cell that most parts measure.
const (
	size = 1 << 10 // bytes of a message
	rate = 3000    // per second
)

// A bench holds the settings that all parts share.
type bench struct {
	program string // the brokerbench to measure
	short   bool   // too briefly to mean anything
	rounds  int    // of each part; odd
	warmup  time.Duration
	window  time.Duration // after the warm-up
	brokers map[string]broker
}

// A broker is a broker to measure.
type broker struct {
	url     string
	what    requester.Description
	missing string // why it cannot be measured; "" if it can
}

// names are the brokers, in the order of the document.
var names = []string{"nats", "redis", "rabbitmq", "kafka"}

func newBench(program string, short bool) bench {
	b := bench{program: program, short: short, rounds: 5, warmup: time.Second, window: 4 * time.Second}
	if short {
		b.rounds, b.warmup, b.window = 1, 100*time.Millisecond, 400*time.Millisecond
	}
	return b
}

// halved returns twice the rounds, half as long: other work on a machine comes in bursts,
// which then spoil fewer of them.
func (b bench) halved() bench {
	b.rounds, b.warmup, b.window = 2*b.rounds+1, b.warmup/2, b.window/2
	return b
}

// find finds the brokers in the environment, and asks each for its description. Parts that
// need no broker find the loopback at "".
func (b *bench) find(ctx context.Context, env func(string) string) {
	b.brokers = map[string]broker{"": {url: "loopback:"}}
	for _, name := range names {
		variable := "BROKERBENCH_" + strings.ToUpper(name) + "_URL"
		found := broker{url: env(variable), missing: variable + " is not set"}
		if found.url != "" {
			found.missing = ""
			var err error
			if found.what, err = describe(ctx, found.url); err != nil {
				found.missing = err.Error()
			}
		}
		b.brokers[name] = found
	}
}

func describe(ctx context.Context, url string) (requester.Description, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	f, err := open(url)
	if err != nil {
		return requester.Description{}, err
	}
	return f.(requester.Describer).Describe(ctx) // which every broker implements
}

// open opens the target at url under a unique name.
func open(url string) (requester.Factory, error) {
	t, err := brokers.All().Parse(url)
	if err != nil {
		return nil, err
	}
	return t.Open(unique())
}

// unique returns a name that is not on any broker yet.
func unique() string { return fmt.Sprintf("selfbench%d", time.Now().UnixNano()) }

// where is the table of the time, the machine and the clients of a measurement.
func (b bench) where(at time.Time, took time.Duration, e results.Environment, load string) document.Table {
	t := host.Where(at, took, e, load)
	rounds := fmt.Sprintf("%d of %v after the warm-up; by hand: %d of %v", b.rounds, b.window, b.halved().rounds, b.halved().window)
	t.Rows = append(t.Rows, []string{"rounds", rounds})
	for _, name := range names {
		if found := b.brokers[name]; found.missing == "" {
			t.Rows = append(t.Rows, []string{found.what.Product, found.what.Version + ", through " + found.what.Client})
		}
	}
	return t
}
