//go:build linux

// Command pretend measures what coordination costs: it runs a real coordinator with many
// agents that only pretend to send, `make pretend`.
//
//	pretend [-agents 50,200,1000] [-duration TIME] [-doc FILE] BROKERBENCH
//
// BROKERBENCH is the program that coordinates. Each agent is real but for the messages: it
// has a connection of its own, reports, has its clock read, begins with the others, and delivers a result
// as large as a real one: that of the first agent, which measures a loopback at 20/s. All are
// goroutines of this process. The table goes to standard output and, with -doc, between the two marks in that file.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/machine"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/report/document"
)

func main() {
	numbers := flag.String("agents", "50,200,1000", "how many agents, one run each")
	duration := flag.Duration("duration", time.Minute, "how long messages are due")
	doc := flag.String("doc", "", "the file whose table is replaced")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	text, err := all(ctx, flag.Arg(0), *numbers, *duration)
	_, _ = fmt.Fprintln(os.Stdout, text)
	if err == nil && *doc != "" {
		err = document.ReplaceMade(*doc, "pretend", text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pretend:", err)
		os.Exit(1)
	}
}

// all measures one number of agents after the other, and returns the tables of those that
// it could measure.
func all(ctx context.Context, program, numbers string, duration time.Duration) (string, error) {
	begun, load := time.Now(), machine.LoadAverages()
	var rows [][]string
	var errs []error
	for text := range strings.SplitSeq(numbers, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return "", fmt.Errorf("-agents %s: want numbers such as 50,200", numbers)
		}
		fmt.Fprintf(os.Stderr, "pretend: %d agents\n", n)
		c, err := coordinate(ctx, program, n, duration)
		if err != nil {
			errs = append(errs, fmt.Errorf("%d agents: %w", n, err))
			continue
		}
		rows = append(rows, c.row())
	}
	text := report.Where(begun, time.Since(begun), measure.Environment(), load).Markdown() + "\n" + document.Table{Head: head, Rows: rows}.Markdown()
	return text, errors.Join(errs...)
}
