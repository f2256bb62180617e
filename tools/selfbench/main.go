//go:build linux

// Command selfbench measures brokerbench itself and prints each figure beside its
// bound: `make bench`. Its exit code does not depend on the figures, because machines are
// noisy.
//
//	selfbench [-short] [-only REGEXP] [-soak TIME] [-doc FILE] BROKERBENCH
//
// BROKERBENCH is the program to measure. The brokers are at
// BROKERBENCH_NATS_URL and so on, as deploy/local/with provides them. The table
// goes to standard output and, with -doc, between the two marks in that file.
// -short runs everything too briefly to mean anything; -only runs the parts whose
// name the expression matches. Both ignore -doc. -soak instead measures whether memory
// grows in that time: `make soak`.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/report/document"
)

func main() {
	short := flag.Bool("short", false, "runs that are too short for real figures")
	only := flag.String("only", "", "the parts to measure, a regular expression such as 'Kafka|audit'; default all")
	soak := flag.Duration("soak", 0, "measure only memory, for this long")
	doc := flag.String("doc", "", "the file with the table to replace")
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
	var text string
	todo, err := matching(todo, *only)
	if err == nil {
		text, err = all(ctx, newBench(flag.Arg(0), *short), todo)
	}
	if err == nil && *doc != "" {
		err = document.ReplaceMade(*doc, target, text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "selfbench:", err)
		os.Exit(1)
	}
}

// matching returns the parts whose name an expression matches.
func matching(todo []part, expression string) (chosen []part, err error) {
	only, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("-only: %w", err)
	}
	names := make([]string, len(todo))
	for i, p := range todo {
		if names[i] = p.what; only.MatchString(p.what) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-only %s matches none of these:\n  %s", expression, strings.Join(names, "\n  "))
	}
	return chosen, nil
}

// all measures one part after the other and prints the tables, which it returns.
func all(ctx context.Context, b bench, todo []part) (string, error) {
	b.find(ctx, os.Getenv)
	begun, load := time.Now(), machine.ReadSystem("/").Load
	var rows [][]string
	for i, p := range todo {
		fmt.Fprintf(os.Stderr, "selfbench: %s, %d of %d: %s\n", time.Since(begun).Round(time.Second), i+1, len(todo), p.what)
		rows = append(rows, p.rows(ctx, b)...)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	}
	text := b.where(begun, time.Since(begun), machine.Environment(), load).Markdown() + "\n" + table(rows).Markdown()
	fmt.Println(text)
	return text, nil
}
