//go:build linux

// Command promises measures the latency, the syncs and the losses of each level of durability, on
// real brokers that it starts, kills and whose data it deletes: `make durability`. A witness that reads
// packets counts the losses again.
//
//	promises [-short] [-losses | -power N [-at-once N] [-journal FILE]] [-doc FILE] BROKERBENCH
//
// BROKERBENCH is the program that measures. The brokers come from deploy/local, found
// from the current folder, with a separate state folder. The tables go to standard output
// or, with -doc, between the marks in that file. -losses only counts syncs and losses.
// -power only cuts the power of each broker, N times at each level, and goes on where the journal ends if it was
// interrupted. -short runs everything too briefly to
// mean anything, and ignores -doc.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/document"
)

func main() {
	short := flag.Bool("short", false, "runs that are too short for real figures")
	doc := flag.String("doc", "", "the file with the tables to replace")
	losses := flag.Bool("losses", false, "no latencies, and shorter runs")
	cuts := flag.Int("power", 0, "how often to cut the power of each broker at each level, and nothing else")
	atOnce := flag.Int("at-once", 4, "how many brokers run at the same time, if their power is cut")
	journal := flag.String("journal", "power-cut.jsonl", "the file with the cuts that are over: others that are interrupted go on from there")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b := bench{program: flag.Arg(0), window: 10 * time.Second, warmup: 2 * time.Second, at: 5 * time.Second, onlyLosses: *losses, cuts: *cuts, atOnce: *atOnce, journal: *journal}
	if *losses || *cuts > 0 {
		b.window, b.warmup, b.at = 5*time.Second, time.Second, 2*time.Second
	}
	if *short {
		b.window, b.warmup, b.at, *doc = 3*time.Second, 500*time.Millisecond, 1500*time.Millisecond, ""
	}
	measure := b.all
	if b.cuts > 0 {
		measure = b.power
	}
	err := measure(ctx, func(section, text string) error { // after each level: an hour is long
		if *doc == "" {
			_, err := fmt.Fprintln(os.Stdout, text)
			return err
		}
		return document.ReplaceMade(*doc, section, text)
	})
	if err == nil && b.cuts > 0 {
		err = os.Remove(b.journal) // the document has it all
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "promises:", err)
		os.Exit(1)
	}
}
