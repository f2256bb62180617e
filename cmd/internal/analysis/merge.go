package analysis

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/merge"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

const mergeLong = `Merge adds up the histograms of interval logs and result sets, bucket by bucket: the
percentiles of the sum are those of all values together. It prints a row for each
log and the sum. With --output it also writes the sum to a file.

A PATH is the folder of a run (all of its cells), the folder of one cell, or an
interval log of any tool (.hlog). Merge refuses percentile tables (.hgrm), because
percentiles are not histograms and cannot be added, and logs of different precision.

Messages without a reply are added up too, and rank above every value. The log of
another tool does not say how many there are.

--format hgrm and --format hlog print the sum itself in place of a table of it.

A merged .hlog has one interval, from the start of the first log to the end of the
last: adding logs of different times second by second would mean nothing. Neither
kind of file holds messages without a reply.

Exit codes: 0 good; 1 a file cannot be read or written; 2 a mistake in the command
line, such as a kind of file that cannot be added.`

type mergeOptions struct {
	paths  []string
	tag    string
	format document.Format
	command.Output
}

// NewMerge returns the command merge.
func NewMerge(s command.Streams) *cobra.Command {
	var o mergeOptions
	c := &cobra.Command{
		Use:   "merge PATH...",
		Short: "Add up the histograms of logs and result sets, exactly",
		Long:  mergeLong,
		Example: `  brokerbench merge brokerbench-results/20261121-060000-classic/cells/nats-3000-1024B-c1-fopen-r* -o merged.hgrm
  brokerbench merge agent1.hlog agent2.hlog --tag response -o merged.hlog --format md`,
		ValidArgsFunction: s.CompleteRuns,
		RunE: func(_ *cobra.Command, paths []string) error {
			o.paths = paths
			return runMerge(s, o)
		},
	}
	o.Define(c.Flags(), "the file to write the sum into, .hgrm (percentiles, in ms) or .hlog (one interval), besides what is printed")
	c.Flags().StringVar(&o.tag, "tag", "", "tag of the values, such as service (default response, else values without a tag)")
	command.DefineChoice(c.Flags(), &o.format, "format", "", "output format: ", append(document.Formats(), formatHGRM, formatHLOG))
	return c
}

func runMerge(s command.Streams, o mergeOptions) error {
	write, err := o.writer()
	if err != nil {
		return command.Usage(err)
	}
	if err := o.Check(o.paths...); err != nil {
		return err
	}
	sources, notes, err := source.Find(results.WithoutLatest(o.paths))
	if err != nil {
		return err
	}
	sum, err := merge.Add(sources, o.tag)
	if err != nil {
		return mistake(err)
	}
	sayNotes(s, notes)
	if write != nil {
		if err := o.Write(s, o.paths, func(w io.Writer) error { return write(sum, w) }); err != nil {
			return err
		}
	}
	if write := sumWriters[o.format]; write != nil {
		return write(sum, s.Out)
	}
	return s.Show(report.Merge(sum), o.format)
}

// writer returns how to write the output file; nil if none is wanted.
func (o mergeOptions) writer() (write func(*merge.Sum, io.Writer) error, err error) {
	if len(o.paths) == 0 {
		return nil, errors.New("want paths: the folder of a run or of a cell, or a .hlog")
	}
	if o.ToStdout() {
		return nil, nil
	}
	ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(o.Path)), ".")
	if write = sumWriters[document.Format(ext)]; write == nil {
		return nil, fmt.Errorf("--output %s: want a file whose name ends with .hgrm or .hlog", o.Path)
	}
	return write, nil
}

// The formats of a sum itself.
const (
	formatHGRM document.Format = "hgrm"
	formatHLOG document.Format = "hlog"
)

// sumWriters write a sum in the formats of a sum itself.
var sumWriters = map[document.Format]func(*merge.Sum, io.Writer) error{
	formatHGRM: (*merge.Sum).WritePercentiles,
	formatHLOG: (*merge.Sum).WriteLog,
}
