package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/internal/atomicfile"
	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/report/html"
	"github.com/brokerbench/brokerbench/results"
)

// reportFile is the report that `run` writes into the folder of the run.
const reportFile = "report.html"

const reportLong = `Report shows one or more runs side by side, as one HTML file that needs nothing
else: you can mail it, and open it without a network.

It has the table of all cells with verdicts and their reasons, percentile curves of
any cells in one chart, and for each cell what happened over time. Drag over the
timeline to see the percentiles of a span.

With --format it prints one result set as run did, in any format of run.

Exit codes: 0 good; 1 a file cannot be read or written; 2 a mistake in the command
line.`

// reportOptions are the flags and arguments of `report`.
type reportOptions struct {
	dirs    []string
	out     string
	format  document.Format
	details bool
}

func newReport(s Streams) *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use:   "report DIR...",
		Short: "Show results as one HTML file with charts",
		Long:  reportLong,
		Example: `  brokerbench report brokerbench-results/20260102-150405-quick
  brokerbench report before/ after/ -o both.html
  brokerbench report brokerbench-results/* -o - | gzip > all.html.gz
  brokerbench report brokerbench-results/20260102-150405-quick --format md`,
		Args: func(_ *cobra.Command, dirs []string) error {
			if len(dirs) == 0 {
				return errors.New("want the folder of a run, such as brokerbench-results/20260102-150405-quick")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, dirs []string) error {
			o.dirs = dirs
			if err := o.check(); err != nil {
				return err
			}
			if o.format == "html" {
				return reportHTML(s, o.out, dirs)
			}
			return reportTable(s, o, dirs[0])
		},
	}
	c.Flags().StringVarP(&o.out, "output", "o", "", "the HTML file to write; - is standard output (default "+reportFile+")")
	defineChoice(c.Flags(), &o.format, "format", "", "an HTML file, or what to print: ", append([]document.Format{"html"}, document.Formats()...))
	defineDetails(c.Flags(), &o.details)
	return c
}

func (o *reportOptions) check() error {
	if o.format != "html" && (len(o.dirs) > 1 || o.out != "") {
		return usage(fmt.Errorf("--format %s prints one result set: want one folder, and no --output", o.format))
	}
	o.out = cmp.Or(o.out, reportFile)
	return nil
}

// reportTable prints a result set as `run` did.
func reportTable(s Streams, o reportOptions, dir string) error {
	store, err := results.Open(dir)
	if err != nil {
		return err
	}
	run, cells, repeated, err := readSet(store)
	if err != nil {
		return err
	}
	return s.show(withFolder(report.Run(run, cells, repeated, o.details), store), o.format)
}

// readSet reads the measured cells, and the summaries of repeated ones.
func readSet(store *results.Store) (run results.Run, cells []*results.Cell, repeated []*results.Summary, err error) {
	if run, err = store.Run(); err != nil {
		return run, nil, nil, err
	}
	for _, entry := range run.Cells {
		if entry.Verdict == "" {
			continue
		}
		cell, err := store.Cell(entry.ID).Read()
		if err != nil {
			return run, nil, nil, err
		}
		cells = append(cells, cell)
	}
	repeated, err = store.Summaries(run)
	return run, cells, repeated, err
}

// reportHTML writes the page of result sets, and says where.
func reportHTML(s Streams, out string, dirs []string) error {
	var stores []*results.Store
	for _, dir := range dirs {
		store, err := results.Open(dir)
		if err != nil {
			return err
		}
		stores = append(stores, store)
	}
	if out == "-" {
		return html.Write(s.Out, stores...)
	}
	if err := writeOutput(out, nil, func(w io.Writer) error { return html.Write(w, stores...) }); err != nil {
		return err
	}
	fmt.Fprintln(s.Err, "report:", out)
	return nil
}

func writeReport(path string, stores ...*results.Store) error {
	return atomicfile.Write(path, func(w io.Writer) error { return html.Write(w, stores...) })
}
