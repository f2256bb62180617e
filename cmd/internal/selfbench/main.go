//go:build linux

// Command selfbench measures brokerbench itself and prints each figure beside its
// bound: `make bench`. It judges nothing by its exit code, because machines are
// noisy; people read it.
package main

import (
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/brokerbench/brokerbench/cmd/internal/natschild"
	"github.com/brokerbench/brokerbench/requester/measure"
)

// row is one line of the table.
type row struct {
	what, measured, bound string
	good                  bool
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == natschild.Command {
		exit(natschild.Serve(os.Stdin, os.Stdout))
	}
	if len(os.Args) != 2 {
		exit(fmt.Errorf("usage: selfbench BROKERBENCH, the path of the program to measure"))
	}
	exit(run(os.Args[1]))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "selfbench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run measures everything, one after the other, and prints the table.
func run(program string) error {
	server, err := natschild.Start()
	if err != nil {
		return err
	}
	defer func() { _ = server.Stop() }()
	var table []row
	for _, part := range []func(string, string) ([]row, error){engine, moderate, fast, many} {
		rows, err := part(program, server.URL)
		if err != nil {
			return err
		}
		table = append(table, rows...)
	}
	show(table)
	return nil
}

func show(table []row) {
	e := measure.Environment()
	fmt.Printf("%s; %d × %s; %s\n", e.Go, e.CPUs, e.CPU, e.Kernel)
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "what\tmeasured\tbound\t")
	for _, r := range table {
		mark := ""
		if !r.good {
			mark = "ABOVE"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.what, r.measured, r.bound, mark)
	}
	_ = t.Flush()
}
