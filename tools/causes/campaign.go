//go:build linux

package main

import (
	"math/rand/v2"
	"slices"
	"time"
)

// A run is one run of brokerbench whose cells, the repeats of one shape, are each harmed in one way.
type run struct {
	name, target, rate string
	seed               uint64
	kinds              []string // of each repeat; "": it is not harmed
	warmup, window     time.Duration
}

const (
	prepare = 2 * time.Second  // the warm-up of a cell that is harmed
	harmed  = 12 * time.Second // its window
	warm    = time.Second      // the warm-up of one that is not
	calm    = 10 * time.Second // its window
)

// campaign returns all runs: four brokers, each with data that survives kill -9 and with data that survives a
// loss of power. Runs have seeds from first on, and so many cells in those in which none is harmed.
func campaign(first uint64, nulls int) (all []run) {
	anyLevel := []string{nodeQuota, clientQuota, nodeStop, clientStop, delay, loss, neighbour}
	for i, target := range []struct{ name, process, machine string }{
		{"nats", "1000", "200"},
		{"redis", "1000", "500"},
		{"rabbitmq", "500", "200"},
		{"kafka", "500", "200"},
	} {
		for j, level := range []string{"process", "machine"} {
			url, rate, kinds := "local:"+target.name+",durability="+level, target.process, slices.Clone(anyLevel)
			switch {
			case level == "machine":
				rate = target.machine
				kinds = append(kinds, nodeIO, fsyncs)
			case target.name == "kafka":
				kinds = append(kinds, gcJVM)
			case target.name == "rabbitmq":
				kinds = append(kinds, gcErlang)
			}
			seed := first + uint64(i*2+j)
			rand.New(rand.NewPCG(seed, 0)).Shuffle(len(kinds), func(a, b int) { kinds[a], kinds[b] = kinds[b], kinds[a] }) //nolint:gosec // a schedule
			name := target.name + "-" + level
			all = append(all, run{"harmed-" + name, url, rate, seed, kinds, prepare, harmed})
			if nulls > 0 {
				all = append(all, run{"null-" + name, url, rate, seed, make([]string, nulls), warm, calm})
			}
		}
	}
	return all
}

// smoke returns a run with one cell.
func smoke() run {
	return run{"short", "local:nats", "1000", 1, []string{nodeStop}, prepare, harmed}
}

// A burst is a time in which messages are harmed.
type burst struct{ From, To time.Time }

// schedule returns 8 to 12 bursts at random moments of a window that begins at start, none closer to the next than
// 0.4 s: pauses that touch are one pause.
func schedule(r *rand.Rand, start time.Time, window, least, most time.Duration) (bursts []burst) {
	const apart, edge = 400 * time.Millisecond, 300 * time.Millisecond
	free := window - 2*edge
	lengths := make([]time.Duration, 8+r.IntN(5))
	for i := range lengths {
		lengths[i] = least + time.Duration(r.Int64N(int64(most-least)+1))
		free -= lengths[i] + apart
	}
	// Sorted uniform moments in the time that is left, spread by what lies before each.
	moments := make([]time.Duration, len(lengths))
	for i := range moments {
		moments[i] = time.Duration(r.Int64N(int64(max(free, 1))))
	}
	slices.Sort(moments)
	at := start.Add(edge)
	for i, m := range moments {
		from := at.Add(m)
		bursts = append(bursts, burst{from, from.Add(lengths[i])})
		at = at.Add(lengths[i] + apart)
	}
	return bursts
}
