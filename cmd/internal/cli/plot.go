package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/report/plot"
	"github.com/brokerbench/brokerbench/results/source"
)

const plotLong = `Plot draws charts as SVG or PNG, without a browser.

A PATH is the folder of a run (all of its cells), the folder of one cell, or a file
of any tool: a percentile table of HdrHistogram (.hgrm: from Java, tylertreat/bench,
or the output of wrk2 with the text around it), whose values are milliseconds, or an
interval log (.hlog), whose values are nanoseconds. Plot recognises a file by its
content, not by its name.

A dot is hollow if fewer than ten values rank above it. Messages without a reply
rank above every reply: a line ends with a cross where it becomes unknown.

A colour belongs to a target. Repeats of a cell are one line, of all their messages
together, in a band from the lowest to the highest of them; a timeline has a panel for
each. Times are on a logarithmic axis if the longest is more than 20 times the
shortest.

Exit codes: 0 good; 1 a file cannot be read or written; 2 a mistake in the command
line, such as a kind of file that cannot be drawn.`

// plotOptions are the flags and arguments of `plot`.
type plotOptions struct {
	paths       []string
	out         string
	tags        []string
	theme       string
	log, linear bool
	plot.Options
}

func newPlot(s Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "plot",
		Short: "Draw results and files of other tools as SVG or PNG",
		Long:  plotLong,
		Example: `  brokerbench plot percentiles brokerbench-results/20261121-060000-classic -o percentiles.svg
  brokerbench plot timeline brokerbench-results/20261121-060000-classic/cells/nats-3000-1024B-c1-fopen-r1 -o timeline.png`,
		Args: unknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newPlotKind(s, plotKind{
		name: "percentiles", short: "Draw distributions on an axis of nines, a line for each cell or file",
		draw: drawCurves,
		example: `  brokerbench plot percentiles brokerbench-results/20261121-060000-classic -o percentiles.svg --title 'Four brokers, 1 KiB' --theme dark
  brokerbench plot percentiles cells/nats-3000-1024B-c1-fopen-r1 --tag response,service -o corrected.svg
  brokerbench plot percentiles ours.hgrm wrk2.txt java.hlog -o compared.png`,
	}), newPlotKind(s, plotKind{
		name: "timeline", short: "Draw p50, p99 and maximum of each second, with hiccups below", draw: drawTimelines,
		example: "  brokerbench plot timeline brokerbench-results/20261121-060000-quickstart -o timeline.svg",
	}), newPlotKind(s, plotKind{
		name: "rate", short: "Draw p50, p99 and p99.9 by rate, for cells that differ only in their rate", draw: drawRate,
		example: "  brokerbench plot rate brokerbench-results/20261121-060000-sweep -o rate.png --scale 2",
	}))
	return c
}

// A plotKind is one of the charts.
type plotKind struct {
	name, short, example string
	draw                 drawer
}

func newPlotKind(s Streams, kind plotKind) *cobra.Command {
	var o plotOptions
	c := &cobra.Command{
		Use: kind.name + " PATH...", Short: kind.short, Long: kind.short + ".\n\n" + plotLong, Example: kind.example,
		RunE: func(_ *cobra.Command, paths []string) error {
			o.paths = paths
			return plotTo(s, o, kind)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.out, "output", "o", "", "file to write, .svg or .png (required)")
	o.define(f)
	if kind.name != "rate" {
		f.StringSliceVar(&o.tags, "tag", nil, "tags to draw, such as service or response,service (default response, else values without a tag)")
	}
	return c
}

// plotTo draws a chart and writes it.
func plotTo(s Streams, o plotOptions, kind plotKind) error {
	write, err := o.writer()
	if err != nil {
		return usage(err)
	}
	if err := o.look(); err != nil {
		return usage(err)
	}
	sources, notes, err := source.Find(o.paths)
	if err != nil {
		return err
	}
	o.Targets = source.Targets(sources)
	inOrder(sources, o.Targets)
	chart, more, err := kind.draw(o, sources)
	switch {
	case errors.Is(err, plot.ErrInput) || errors.Is(err, source.ErrTag):
		return usage(err)
	case err != nil:
		return err
	}
	for _, note := range append(notes, more...) {
		fmt.Fprintln(s.Err, "note:", note)
	}
	if err := writeOutput(o.out, o.paths, func(w io.Writer) error { return write(chart, w) }); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.Out, "file:", o.out)
	return err
}

// writer returns how to write the output file.
func (o plotOptions) writer() (func(*plot.Chart, io.Writer) error, error) {
	if len(o.paths) == 0 {
		return nil, errors.New("want paths: the folder of a run or of a cell, a .hgrm or a .hlog")
	}
	if o.out == "" {
		return nil, errors.New("--output (-o) is missing: want a file whose name ends with .svg or .png")
	}
	return chartWriter("--output", o.out)
}

// chartWriter returns how to write a chart into a file that a flag names.
func chartWriter(flag, path string) (func(*plot.Chart, io.Writer) error, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".svg":
		return (*plot.Chart).WriteSVG, nil
	case ".png":
		return (*plot.Chart).WritePNG, nil
	}
	return nil, fmt.Errorf("%s %s: want a file whose name ends with .svg or .png", flag, path)
}
