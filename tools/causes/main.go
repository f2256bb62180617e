//go:build linux

// Command causes scores `brokerbench why`: `make causes-score`. It measures real brokers, harms them or their
// client behind the back of brokerbench, and counts how often the causes that brokerbench then names are right. In as
// many cells it harms nothing, and counts how often a cause is named.
//
//	causes [-short] [-for TIME] [-only NAME] [-seed N] [-nulls N] [-measure | -score] [-doc FILE] DIR BROKERBENCH
//
// BROKERBENCH is the program that measures and judges. Results go into folders of DIR; those that are there are not
// measured again, so a campaign can go on after -for. The tables go to standard output or, with -doc,
// between the marks in that file. Another -seed makes other bursts, in another order. -short stops a broker in one cell, ignores -doc, and fails if that is not found. Quotas, lost
// packets and limits of a disk need root.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/document"
)

func main() {
	limit := flag.Duration("for", 0, "begin no run after this time (0: no limit)")
	only := flag.String("only", "", "only the runs whose names contain this")
	seed := flag.Uint64("seed", 1, "that of the first run; the next ones have the numbers after it")
	nulls := flag.Int("nulls", 13, "cells that are not harmed, of each of the eight targets")
	measure, score := flag.Bool("measure", false, "do not judge"), flag.Bool("score", false, "do not measure")
	short := flag.Bool("short", false, "one cell, which proves that all of it works")
	doc := flag.String("doc", "", "the file with the tables to replace")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	r := rig{dir: flag.Arg(0), program: flag.Arg(1)}
	if *limit > 0 {
		r.until = time.Now().Add(*limit)
	}
	all := campaign(*seed, *nulls)
	if *short {
		all, *doc = []run{smoke()}, ""
	}
	var err error
	if !*score {
		err = r.measure(ctx, all, *only)
	}
	if err == nil && !*measure {
		err = r.publish(ctx, all, *only, *doc, *short)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "causes:", err)
		os.Exit(1)
	}
}

// publish judges what was measured, and writes the tables.
func (r rig) publish(ctx context.Context, all []run, only, doc string, strict bool) error {
	var s score
	for _, one := range all {
		t, err := readTruth(filepath.Join(r.dir, one.name))
		if os.IsNotExist(err) || !strings.Contains(one.name, only) {
			continue
		}
		if err == nil {
			err = r.judge(ctx, t, &s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
	}
	if doc != "" {
		return document.ReplaceMade(doc, "causes-score", s.text())
	}
	_, err := fmt.Fprintln(os.Stdout, s.text()+"\n"+strings.Join(s.notes, "\n"))
	if all := sum(s.kinds); err == nil && strict && all.found < all.cells {
		err = fmt.Errorf("found the cause in %d of %d cells", all.found, all.cells)
	}
	return err
}
