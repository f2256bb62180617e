//go:build linux

package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/natschild"
	"github.com/brokerbench/brokerbench/requester"
)

// The cell that most parts measure.
const (
	size = 1 << 10 // bytes of a message
	rate = 3000    // per second
)

// A bench is what every part is told.
type bench struct {
	program string // the brokerbench to measure
	rounds  int    // how often everything is measured; odd
	warmup  time.Duration
	window  time.Duration // what is measured after the warm-up
	brokers map[string]broker
}

// A broker is one of the table of package brokers, as far as it is there.
type broker struct {
	url     string
	what    requester.Description
	missing string // why it cannot be measured; "" if it can
}

func newBench(program string, short bool) bench {
	b := bench{program: program, rounds: 5, warmup: time.Second, window: 4 * time.Second}
	if short {
		b.rounds, b.warmup, b.window = 1, 100*time.Millisecond, 400*time.Millisecond
	}
	return b
}

// find finds the brokers by the environment, and asks each what it is. stop ends
// the one that it starts if there is no NATS server.
func (b *bench) find(ctx context.Context, env func(string) string) (stop func() error, err error) {
	stop = func() error { return nil }
	b.brokers = make(map[string]broker)
	for _, name := range []string{"nats", "redis", "rabbitmq", "kafka"} {
		variable := "BROKERBENCH_" + strings.ToUpper(name) + "_URL"
		found := broker{url: env(variable)}
		if found.url == "" && name == "nats" {
			server, err := natschild.Start()
			if err != nil {
				return nil, err
			}
			found.url, stop = server.URL, server.Stop
		}
		if found.url == "" {
			found.missing = whySkipped(env("SKIPPED_BROKERS"), name, variable+" is not set")
		} else if found.what, err = describe(ctx, found.url); err != nil {
			found.missing = err.Error()
		}
		b.brokers[name] = found
	}
	return stop, nil
}

// whySkipped returns why deploy/local/brokers did not provide a broker: it writes
// a line "NAME: why" for each.
func whySkipped(skipped, name, otherwise string) string {
	for line := range strings.Lines(skipped) {
		if why, ok := strings.CutPrefix(line, name+": "); ok {
			return strings.TrimSpace(why)
		}
	}
	return otherwise
}

func describe(ctx context.Context, url string) (requester.Description, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	f, err := open(url)
	if err != nil {
		return requester.Description{}, err
	}
	d, ok := f.(requester.Describer)
	if !ok {
		return requester.Description{}, fmt.Errorf("%T does not say what it is", f)
	}
	return d.Describe(ctx)
}

// open opens the target at url under a name of its own.
func open(url string) (requester.Factory, error) {
	t, err := brokers.Parse(url)
	if err != nil {
		return nil, err
	}
	return t.Open(unique())
}

// unique returns a name that nothing on a broker has yet.
func unique() string { return fmt.Sprintf("selfbench%d", time.Now().UnixNano()) }
