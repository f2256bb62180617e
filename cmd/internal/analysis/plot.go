package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/merge"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/palette"
	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/source"
)

const plotLong = `Plot draws charts as SVG or PNG, without a browser.

A PATH is the folder of a run (all of its cells), the folder of one cell, or a file
of any tool: a percentile table of HdrHistogram (.hgrm: from Java, tylertreat/bench,
or the output of wrk2 with the text around it), whose values are milliseconds, or an
interval log (.hlog), whose values are nanoseconds, if --unit does not name another
unit. Of a result of the OpenMessaging Benchmark (JSON) it draws the end-to-end
percentiles, counted from when messages were sent. Plot recognises a file by its content,
not by its name.

Without a PATH it is the last run: the one that began last in the folder of results
(brokerbench-results, or BROKERBENCH_OUT), where the link latest leads to it.

A dot is hollow where the first screen marks a number as limited (~). Messages without
a reply rank above every reply: a line ends with a cross where it becomes unknown.

A colour belongs to a target. Repeats of a cell are one line, of all their messages
together, in a band from the lowest to the highest of them; a timeline has a panel for
each. More than two lines by rate, or four timelines, show p99 alone. Times are on a
logarithmic axis if the longest is more than 20 times the shortest. A stack has a bar
for each cell, in which every probe ends at the percentile of that probe, from
due: percentiles of parts do not add up. Without --log its axis begins at 0, unless the
bars are more than 20 times apart.

Nodes are those of a target that brokerbench started, or that the plan names (nodes:). A node
has a gap while no process of it is there; its rates are those of the time that it ran.

A target that does not have a --tag is left out, and named, if others have it.

Exit codes: 0 good; 1 a file cannot be read or written; 2 a mistake in the command
line, such as a kind of file that cannot be drawn.`

type plotOptions struct {
	paths      []string
	tags       []string
	percentile string // of stack
	format     string // svg or png; "" if the file's name says it
	theme      string
	unit       string // of other tools' files; "" if they have their usual one
	axisChoice
	command.Output
	plot.Options
}

// NewPlot returns the command plot.
func NewPlot(s command.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "plot",
		Short: "Draw results and files of other tools as SVG or PNG",
		Long:  plotLong,
		Example: `  brokerbench plot percentiles brokerbench-results/20261121-060000-classic -o percentiles.svg
  brokerbench plot timeline brokerbench-results/20261121-060000-classic/cells/nats-3000-1024B-c1-fopen-r1 -o timeline.png`,
		Args: command.UnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newPlotKind(s, plotKind{
		name: "percentiles", short: "Draw distributions on an axis of nines, a line for each cell or file",
		draw: drawCurves,
		example: `  brokerbench plot percentiles brokerbench-results/20261121-060000-classic -o percentiles.svg --title 'Four brokers, 1 KiB' --theme dark
  brokerbench plot percentiles cells/nats-3000-1024B-c1-fopen-r1 --tag response,service -o corrected.svg
  brokerbench plot percentiles ours.hgrm wrk2.txt java.hlog -o compared.png`,
	}), newPlotKind(s, plotKind{
		name: "timeline", short: "Draw percentiles and the maximum of each second, with hiccups below", draw: drawTimelines,
		example: "  brokerbench plot timeline brokerbench-results/20261121-060000-quickstart -o timeline.svg",
	}), newPlotKind(s, plotKind{
		name: "rate", short: "Draw percentiles by rate, for cells that differ only in their rate", draw: drawRate,
		example: "  brokerbench plot rate brokerbench-results/20261121-060000-sweep -o rate.png --scale 2",
	}), newPlotKind(s, plotKind{
		name: "stack", short: "Draw for each cell when its messages were sent, on the socket, acknowledged and delivered", draw: drawStacks,
		example: "  brokerbench plot stack brokerbench-results/20261121-060000-durable -o stack.svg --percentile p99.9",
	}), newPlotKind(s, plotKind{
		name: "nodes", short: "Draw CPU, memory and disk bytes of each node of a target over time", draw: drawNodes,
		example: "  brokerbench plot nodes brokerbench-results/20261121-060000-failover -o nodes.svg",
	}))
	return c
}

type plotKind struct {
	name, short, example string
	draw                 drawer
}

func newPlotKind(s command.Streams, kind plotKind) *cobra.Command {
	var o plotOptions
	c := &cobra.Command{
		Use: kind.name + " [PATH...]", Short: kind.short, Long: kind.short + ".\n\n" + plotLong, Example: kind.example,
		ValidArgsFunction: s.CompleteRuns,
		RunE: func(_ *cobra.Command, paths []string) error {
			o.paths = paths
			return plotTo(s, o, kind)
		},
	}
	f := c.Flags()
	o.Define(f, "the file to write, .svg or .png (required); - is standard output")
	f.Var(command.NewChoice(&o.format, pictureFormats), "format", "output format: svg, png (default what the file's name says; svg on standard output)")
	f.StringVar(&o.Title, "title", "", "title in place of the chart's own")
	command.DefineChoice(f, &o.theme, "theme", "", "the background of the chart: ", []string{"light", "dark"})
	f.IntVar(&o.Width, "width", plot.DefaultWidth, "width in pixels")
	f.IntVar(&o.Height, "height", 0, "height in pixels (default: as needed)")
	f.Float64Var(&o.Scale, "scale", 1, "enlarge all of it, such as 2 for a sharp PNG on a fine screen")
	if kind.name != "nodes" {
		o.define(f, "draw times on a logarithmic axis",
			fmt.Sprintf("draw times on an axis from 0 (default: logarithmic if they differ by more than a factor of %d)", plot.AutoFactor))
	}
	if kind.name == "percentiles" {
		f.IntVar(&o.Nines, "nines", 0, "how many nines the axis has at least, such as 6 for 99.9999 (default: as the data need)")
	}
	switch kind.name {
	case "rate", "nodes":
	case "stack":
		o.percentile = "p99"
		f.Var(command.NewChoice(&o.percentile, percentileWords()), "percentile", "where each bar ends: "+strings.Join(percentileWords(), ", "))
	default:
		f.Var(command.NewChoice(&o.unit, units), "unit", "the unit of values in other tools' files: "+strings.Join(units, ", ")+"\n(default ms of a .hgrm, ns of a .hlog)")
		f.StringSliceVar(&o.tags, "tag", nil, "tag of the values, such as service, or response,service for both (default response, else values without a tag)")
	}
	return c
}

func plotTo(s command.Streams, o plotOptions, kind plotKind) error {
	write, err := o.writer()
	if err == nil && o.log && o.linear {
		err = errors.New("--log and --linear: want one of them, or neither")
	}
	if err != nil {
		return command.Usage(err)
	}
	if err := o.Check(o.paths...); err != nil {
		return err
	}
	if o.paths, err = s.OrLast(o.paths); err != nil {
		return err
	}
	sources, notes, err := source.Find(o.paths)
	if err != nil {
		return err
	}
	inUnit(sources, o.unit)
	o.Targets, o.Axis, o.Theme = source.Targets(sources), o.axis(), palette.Light
	if o.theme == "dark" {
		o.Theme = palette.Dark
	}
	inOrder(sources, o.Targets)
	chart, more, err := kind.draw(o, sources)
	if err != nil {
		return mistake(err)
	}
	sayNotes(s, append(notes, more...))
	if err := o.Write(s, o.paths, func(w io.Writer) error { return write(chart, w) }); err != nil || o.ToStdout() {
		return err
	}
	_, err = fmt.Fprintln(s.Out, "file:", o.Path)
	return err
}

// mistake marks the error of sources that cannot be used as asked as one of the command line.
func mistake(err error) error {
	if errors.Is(err, input.ErrInput) || errors.Is(err, merge.ErrInput) || errors.Is(err, source.ErrTag) {
		return command.Usage(err)
	}
	return err
}

func sayNotes(s command.Streams, notes []string) {
	for _, note := range notes {
		fmt.Fprintln(s.Err, "note:", note)
	}
}

// inOrder sorts cells as the plan names them: a run of repeats measures its targets in
// a random order. Files stay as they were named, and cells beside them.
func inOrder(sources []source.Source, targets []string) {
	if slices.ContainsFunc(sources, func(s source.Source) bool { return s.Cell == nil }) {
		return
	}
	slices.SortStableFunc(sources, func(a, b source.Source) int {
		x, y := a.Cell.Plan, b.Cell.Plan
		return cmp.Or(
			cmp.Compare(slices.Index(targets, x.Target.Name), slices.Index(targets, y.Target.Name)), cmp.Compare(x.Shape.Size, y.Shape.Size),
			cmp.Compare(x.Shape.Connections, y.Shape.Connections), cmp.Compare(x.Shape.Rate, y.Shape.Rate), cmp.Compare(x.Repeat, y.Repeat))
	})
}

func (o plotOptions) writer() (func(*plot.Chart, io.Writer) error, error) {
	switch {
	case o.Path == "" && o.format == "":
		return nil, errors.New("--output (-o) is missing: want a file whose name ends with .svg or .png, or - for standard output")
	case o.format == "" && !o.ToStdout():
		return chartWriter("--output", o.Path)
	}
	return chartWriter("--format", "."+cmp.Or(o.format, pictureFormats[0]))
}

// pictureFormats are those of a chart, the default first.
var pictureFormats = []string{"svg", "png"}

// An axisChoice is the flags --log and --linear.
type axisChoice struct{ log, linear bool }

func (a *axisChoice) define(f *pflag.FlagSet, log, linear string) {
	f.BoolVar(&a.log, "log", false, log)
	f.BoolVar(&a.linear, "linear", false, linear)
}

func (a axisChoice) axis() plot.Axis {
	switch {
	case a.log:
		return plot.Log
	case a.linear:
		return plot.Linear
	}
	return plot.Auto
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
