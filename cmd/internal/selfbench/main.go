//go:build linux

// Command selfbench measures brokerbench itself and prints each figure beside its
// bound: `make bench`. It judges nothing by its exit code, because machines are
// noisy; people read it.
//
//	selfbench [-short] [-only WORD] [-doc FILE] BROKERBENCH
//
// BROKERBENCH is the program to measure. The brokers are those of
// BROKERBENCH_NATS_URL and so on, as deploy/local/with provides them; without one
// for NATS it starts a server of its own. The table goes to standard output and,
// with -doc, between the two marks in that file. With -short everything runs, too
// briefly to mean anything; with -only what has the word in its name runs; with
// either -doc is not obeyed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/brokerbench/brokerbench/cmd/internal/child"
)

func main() {
	if isChild, err := child.Serve(os.Args[1:], os.Stdin, os.Stdout); isChild {
		exit(err)
	}
	short := flag.Bool("short", false, "very short runs, to see that everything works")
	only := flag.String("only", "", "what to measure, such as Redis; default everything")
	doc := flag.String("doc", "", "the file whose table is replaced")
	flag.Parse()
	if flag.NArg() != 1 {
		exit(errors.New("usage: selfbench [-short] [-only WORD] [-doc FILE] BROKERBENCH"))
	}
	if *short || *only != "" {
		*doc = ""
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exit(run(ctx, newBench(flag.Arg(0), *short), *only, *doc))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "selfbench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run measures one part after the other, prints the table, and puts it into the
// document, if there is one.
func run(ctx context.Context, b bench, only, document string) (err error) {
	stop, err := b.find(ctx, os.Getenv)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	where := here(b)
	var table []row
	for _, p := range parts() {
		if !strings.Contains(p.what, only) {
			continue
		}
		fmt.Fprintln(os.Stderr, "selfbench:", p.what)
		table = append(table, p.rows(ctx, b)...)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	text := where.write(table)
	fmt.Println(text)
	if document == "" {
		return nil
	}
	return replace(document, text)
}
