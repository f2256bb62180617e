package analysis

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/exchange"
	"github.com/brokerbench/brokerbench/internal/report/html"
	"github.com/brokerbench/brokerbench/internal/sections"
	"github.com/brokerbench/brokerbench/results"
)

// ReportFile is the report that `run` writes into the folder of the run.
const ReportFile = "report.html"

const reportLong = `Report shows one or more runs side by side, as one HTML file that needs nothing
else: you can mail it, and open it without a network.

It has the table of all cells with verdicts and their reasons, the charts that
` + "`plot`" + ` draws of the cells in the table, and what happened over time in each cell. Drag
over a timeline to see the percentiles of a span.

With --format (or a file named .md, .csv, .json or .txt) it prints one run as run
did, or for another program: benchstat (Go benchmarks, a line for each repeat),
openmetrics (Prometheus), junit (a test case for each objective), github (a summary for
$GITHUB_STEP_SUMMARY), bmf (Bencher) and github-action-benchmark. An existing file is
replaced only with --force; without -o the page of an earlier report is, too.

The folder of a canary it prints as text, or in the format that you ask for.

Exit codes: 0 good; 1 a file cannot be read or written; 2 a mistake in the command
line.`

type reportOptions struct {
	dirs []string
	command.Printing
	details bool
}

// NewReport returns the command report.
func NewReport(s command.Streams) *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use:   "report [DIR...]",
		Short: "Show results as one HTML file with charts",
		Long:  strings.Replace(reportLong, "\nExit codes:", command.LastLong+"\nExit codes:", 1),
		Example: `  brokerbench report
  brokerbench report brokerbench-results/20260102-150405-quick -o quick.html
  brokerbench report before/ after/ -o both.html
  brokerbench report brokerbench-results/* -o - | gzip > all.html.gz
  brokerbench report brokerbench-results/20260102-150405-quick --format md
  brokerbench report --format junit -o objectives.xml
  brokerbench report canary/`,
		ValidArgsFunction: s.CompleteRuns,
		RunE: func(c *cobra.Command, dirs []string) (err error) {
			if len(dirs) == 1 && isCanary(dirs[0]) {
				return reportCanary(s, o, dirs[0], c.Flags().Changed("format"))
			}
			if o.dirs, err = s.OrLast(dirs); err != nil {
				return err
			}
			return runReport(s, o)
		},
	}
	formats := append([]document.Format{command.FormatHTML}, document.Formats()...)
	o.DefineFor(c.Flags(), append(formats, exchange.Formats()...), "output format: ",
		"the file to write; - is standard output (default "+ReportFile+" for html, else -)")
	command.DefineDetails(c.Flags(), &o.details)
	return c
}

func runReport(s command.Streams, o reportOptions) error {
	page := o.Format() == command.FormatHTML
	if page && o.Path == "" {
		if o.Path = ReportFile; isPage(ReportFile) {
			o.Replace()
		}
	}
	if err := o.Check(); err != nil {
		return err
	}
	if !page && len(o.dirs) > 1 {
		return command.Usage(fmt.Errorf("--format %s prints one run: want one folder", o.Format()))
	}
	var stores []*results.Store
	for _, dir := range o.dirs {
		store, err := results.Open(dir)
		if err != nil {
			return command.HoldsRuns(dir, err)
		}
		stores = append(stores, store)
	}
	if !page {
		return reportTable(s, o, stores[0])
	}
	if err := o.Write(s, nil, func(w io.Writer) error { return html.Write(w, stores...) }); err != nil || o.ToStdout() {
		return err
	}
	fmt.Fprintln(s.Err, "report:", o.Path)
	return nil
}

// isPage tells whether a file is a page of brokerbench's.
func isPage(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4<<10)
	n, _ := io.ReadFull(f, head)
	return bytes.Contains(head[:n], []byte("<title>brokerbench: "))
}

func reportTable(s command.Streams, o reportOptions, store *results.Store) error {
	run, cells, repeated, err := readSet(store)
	if err != nil {
		return err
	}
	d := report.Run(run, cells, repeated, o.details)
	exchange.Offer(d, exchange.Run{Run: run, Measured: cells, Repeated: repeated})
	return o.Show(s, command.WithFolder(d, store))
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
		cells = append(cells, sections.Of(cell)...)
	}
	repeated, err = store.Summaries(run)
	return run, cells, repeated, err
}

// WriteReport writes the page of some runs into a file.
func WriteReport(path string, stores ...*results.Store) error {
	return safefile.Write(path, func(w io.Writer) error { return html.Write(w, stores...) })
}
