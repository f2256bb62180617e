//go:build linux

// Command selfbench measures brokerbench itself and prints each figure beside its
// bound: `make bench`. Its exit code does not depend on the figures, because
// machines are noisy: people read the table.
//
//	selfbench [-short] [-only WORD] [-soak TIME] [-doc FILE] BROKERBENCH
//
// BROKERBENCH is the program to measure. The brokers are those of
// BROKERBENCH_NATS_URL and so on, as deploy/local/with provides them. The table
// goes to standard output and, with -doc, between the two marks in that file.
// -short runs everything too briefly to mean anything; -only runs the parts whose
// name contains the word. Both ignore -doc. -soak measures something else: whether
// memory grows in that time, `make soak`.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/machine"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/report/document"
)

func main() {
	short := flag.Bool("short", false, "very short runs, to see that everything works")
	only := flag.String("only", "", "what to measure, such as Redis; default everything")
	soak := flag.Duration("soak", 0, "watch memory for so long, in place of everything else")
	doc := flag.String("doc", "", "the file whose table is replaced")
	flag.Parse()
	if *short || *only != "" {
		*doc = ""
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	todo, target := parts(), "bench"
	if *soak > 0 {
		todo, target = soaks(*soak), "soak"
	}
	text, err := all(ctx, newBench(flag.Arg(0), *short), todo, *only)
	if err == nil && *doc != "" {
		err = document.ReplaceMade(*doc, target, text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "selfbench:", err)
		os.Exit(1)
	}
}

// all measures one part after the other and prints the tables, which it returns.
func all(ctx context.Context, b bench, todo []part, only string) (string, error) {
	b.find(ctx, os.Getenv)
	text := b.where(time.Now(), measure.Environment(), machine.LoadAverages()).Markdown() + "\n"
	var rows [][]string
	for _, p := range todo {
		if !strings.Contains(p.what, only) {
			continue
		}
		fmt.Fprintln(os.Stderr, "selfbench:", p.what)
		rows = append(rows, p.rows(ctx, b)...)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	}
	text += table(rows).Markdown()
	fmt.Println(text)
	return text, nil
}
