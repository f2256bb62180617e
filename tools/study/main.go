// Command study measures the published study and writes its page: `make study`.
//
//	study [-parts 2016,promises,price,rebuttals,defaults] [-page] [-short] BROKERBENCH BUNDLE
//
// BROKERBENCH is the program that measures. The plans of a part are the files in deploy/plans/study
// that begin with its name; a name such as promises.yaml is that file alone. They are copied into the folder
// BUNDLE, and their runs go to its folder runs. Then, or at once with -page, the page is made from
// page.tmpl and claims.yaml in BUNDLE: index.md, and index.html with the charts inside. A claim that its
// own runs do not support is an error. -short runs everything too briefly to mean anything.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	parts := flag.String("parts", "2016,promises,price,rebuttals,defaults", "the parts to measure, in this order")
	only := flag.Bool("page", false, "measure nothing")
	short := flag.Bool("short", false, "runs that are too short for real figures")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: study [flags] BROKERBENCH BUNDLE")
		flag.PrintDefaults()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b := bundle{program: flag.Arg(0), dir: flag.Arg(1), short: *short}
	var err error
	if !*only {
		err = b.measure(ctx, strings.Split(*parts, ","))
	}
	if _, missing := os.Stat(filepath.Join(b.dir, pageFile)); errors.Is(missing, os.ErrNotExist) {
		fmt.Fprintf(os.Stderr, "study: write %s and claims.yaml into %s, then `make study STUDY=page`\n", pageFile, b.dir)
	} else if err == nil {
		err = b.page(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "study:", err)
		os.Exit(1)
	}
}
