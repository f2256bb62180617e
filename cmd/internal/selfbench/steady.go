//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
)

// steady measures what brokerbench's own work makes in a steady cell: on a loopback
// that allocates nothing, with all that a normal run does besides.
func steady() part {
	const what = "loopback, 1 KiB at 20,000/s over 25 connections, with files, observer and terminal"
	return part{
		what: what,
		run: func(ctx context.Context, b bench, url string) ([]float64, error) {
			short, _, err := garbage(ctx, b, url)
			if err != nil {
				return nil, err
			}
			window := b.window
			b.window *= 4
			long, pause, err := garbage(ctx, b, url)
			return []float64{(long - short) / (b.window - window).Seconds(), pause}, err // without set-up and end
		},
		figures: []figure{
			{what: what + ": garbage a second", write: megabytes, atMost: 1e6},
			{what: what + ": longest pause of a collection", write: duration, atMost: 300e3},
		},
	}
}

// garbage returns how many bytes one cell allocated, and the longest pause of the
// garbage collector in it.
func garbage(ctx context.Context, b bench, url string) (allocated, pause float64, err error) {
	f, err := open(url)
	if err != nil {
		return 0, 0, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, err := everything(ctx, f, cellAt(b, url, 20_000, 25), nil)
	runtime.ReadMemStats(&after)
	if err != nil || c.Usage == nil {
		return 0, 0, err
	}
	return float64(after.TotalAlloc - before.TotalAlloc), float64(c.Usage.Go.GCPauseMaxNS), nil
}

var lateOverEarly = regexp.MustCompile(`late/early ([0-9.]+)`)

// day compares the work of a second at the end of a cell of 24 hours with that of its
// first minutes. The cell runs in the virtual time of a test in package measure.
func day() part {
	const what = "a cell of 24 hours in virtual time: CPU of the work of a second, the last minutes over the first"
	return part{
		what: what,
		run: func(ctx context.Context, b bench, _ string) ([]float64, error) {
			c := exec.CommandContext(ctx, "go", "test", "./measure", "-run", "TestALongCellCosts", "-count=1", "-v")
			c.Env = os.Environ()
			if !b.short {
				c.Env = append(c.Env, "BROKERBENCH_DAY=1")
			}
			text, err := c.CombinedOutput()
			found := lateOverEarly.FindSubmatch(text)
			if err != nil || found == nil {
				return nil, fmt.Errorf("go test: %w: %s", err, bytes.TrimSpace(text))
			}
			v, err := strconv.ParseFloat(string(found[1]), 64)
			return []float64{v}, err
		},
		figures: []figure{{what: what, write: ratio, atMost: 1.05}},
	}
}
