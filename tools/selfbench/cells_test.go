//go:build linux

package main

import (
	"testing"

	"github.com/brokerbench/brokerbench/results"
)

// The CPU time is the sending process's: the agent's, not the coordinator's.
func TestCPUOfTheSender(t *testing.T) {
	used := func(cores float64) *results.Usage {
		return &results.Usage{Process: results.ProcessUsage{CPUCores: cores}}
	}
	for name, tc := range map[string]struct {
		cell *results.Cell
		want float64 // 0: an error
	}{
		"alone":           {&results.Cell{ReachedPerS: 1000, Usage: used(0.5)}, 500e3},
		"an agent":        {&results.Cell{ReachedPerS: 1000, Usage: used(0.5), Agents: []results.Agent{{Usage: used(0.25)}}}, 250e3},
		"nobody looked":   {&results.Cell{ReachedPerS: 1000, Usage: used(0.5), Agents: []results.Agent{{}}}, 0},
		"nothing is done": {&results.Cell{Usage: used(0.5)}, 0},
	} {
		got, err := cpuOfSender(tc.cell)
		if got != tc.want || (err != nil) != (tc.want == 0) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, tc.want)
		}
	}
}

func TestNumbersOfABenchmark(t *testing.T) {
	text := []byte("goos: linux\nBenchmarkMerge-2   \t       1\t 512345678 ns/op\t 498000000 cpu-ns/op\t 5 B/op\nPASS\n")
	got, err := numbers(text, wallOfMerge, cpuOfMerge)
	if err != nil || len(got) != 2 || got[0] != 512345678 || got[1] != 498000000 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := numbers([]byte("PASS"), wallOfMerge); err == nil {
		t.Errorf("%v of a benchmark that did not run", got)
	}
}
