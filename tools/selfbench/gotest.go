//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
)

// goTest runs a test or a benchmark of a package, and returns the number that each
// expression finds in its output.
func goTest(ctx context.Context, folder string, env []string, flags []string, wanted ...string) ([]float64, error) {
	c := exec.CommandContext(ctx, "go", append([]string{"test", folder, "-count", "1"}, flags...)...) //nolint:gosec // flags of this program
	c.Env = append(os.Environ(), env...)
	text, err := c.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go test: %w: %s", err, bytes.TrimSpace(text))
	}
	return numbers(text, wanted...)
}

// numbers returns the number that each expression finds in a text.
func numbers(text []byte, wanted ...string) (values []float64, err error) {
	for _, w := range wanted {
		found := regexp.MustCompile(w).FindSubmatch(text)
		if found == nil {
			return nil, fmt.Errorf("no %s in: %s", w, bytes.TrimSpace(text))
		}
		v, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", found[1], err)
		}
		values = append(values, v)
	}
	return values, nil
}

// day compares the work of a second at the end of a cell of 24 hours with that of its
// first minutes, in the virtual time of a test of package measure.
func day() part {
	return part{
		what: "a cell of 24 hours in virtual time: CPU of the work of a second, the last minutes over the first",
		run: func(ctx context.Context, b bench, _ string) ([]float64, error) {
			var env []string
			if !b.short {
				env = []string{"BROKERBENCH_DAY=1"}
			}
			return goTest(ctx, "./measure", env, []string{"-run", "TestALongCellCosts", "-v"}, `late/early ([0-9.]+)`)
		},
		figures: []figure{{write: ratio, atMost: 1.05}},
	}
}

// The numbers that a benchmark prints: its time, and its CPU time.
const (
	wallOfMerge = `\s([0-9.]+) ns/op`
	cpuOfMerge  = `\s([0-9.]+) cpu-ns/op`
)

// merging measures how long it takes to add up the results of many agents.
func merging() part {
	return part{
		what: "adding up 100 agents of a minute with 4 series each",
		run: func(ctx context.Context, _ bench, _ string) ([]float64, error) {
			return goTest(ctx, "./internal/agents/merge", nil, []string{"-run", "^$", "-bench", "^BenchmarkMerge$", "-benchtime", "1x"}, wallOfMerge, cpuOfMerge)
		},
		figures: []figure{{write: duration, atMost: 1e9}, {what: "CPU", write: duration}},
	}
}
