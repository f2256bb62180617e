package analysis

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/compare/history"
	"github.com/brokerbench/brokerbench/internal/report/comparison"
	"github.com/brokerbench/brokerbench/internal/report/plot"
)

const historyLong = `History finds out when results changed, over many runs: of the folders of runs, or of
a folder that holds them, such as brokerbench-results. Cells of the same target,
product, shape, window and warm-up are one series, whatever their run is called. It
shows p50, p99, p99.9, maximum, loss and the part of the rate that was reached, and
for each of them since when it is worse or better, or that no change is shown. Where
something changed it lists the other differences from then on: versions, settings
and environment.

A series needs 8 runs. A change has 3 runs or more on either side: one odd run is no
change. Repeats within a run are one value, because only runs show how sessions
differ. A series without a change shows one in at most 5 of 100 cases, and in more if
runs differ by a drift that lasts for many of them.

--fail-on new-change is for CI: exit code 5 if anything is worse since one of the
newest 10 runs (--newest). For this all series are judged together. A new change has
to be large, or some runs old, to be shown: see docs/simulations/history.md.

Folders of search and ab are left out, because their cells repeat no run.

Exit codes: 0 good; 1 no run can be read; 2 a mistake in the command line; 4 with
--fail-on no series has enough runs; 5 with --fail-on something is worse.`

type historyOptions struct {
	paths  []string
	cells  []string
	chart  string
	failOn string
	axisChoice
	command.Printing
	history.Options
}

const newChange = "new-change"

// NewHistory returns the command history.
func NewHistory(s command.Streams) *cobra.Command {
	var o historyOptions
	c := &cobra.Command{
		Use:   "history DIR...",
		Short: "Find the run in which results changed",
		Long:  historyLong,
		Example: `  brokerbench history brokerbench-results
  brokerbench history nightly/ --cell nats --chart nightly.png
  brokerbench history nightly/ --fail-on new-change -o comment.md`,
		Args: func(_ *cobra.Command, paths []string) error {
			if len(paths) == 0 {
				return errors.New("want a folder of results, such as brokerbench-results")
			}
			return nil
		},
		ValidArgsFunction: s.CompleteRuns,
		RunE: func(_ *cobra.Command, paths []string) error {
			o.paths = paths
			return runHistory(s, o)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.cells, "cell", nil, "show only cells whose name or folder contains this, such as nats or '1 KiB at 3,000/s'; given again, it adds alternatives")
	f.StringVar(&o.chart, "chart", "", "also draw the response times run after run: a file to write, .svg or .png")
	o.define(f, "draw times on a logarithmic axis (default: if they differ by more than a factor of 20)", "draw times on an axis from 0")
	f.StringVar(&o.failOn, "fail-on", "", "a gate: new-change, for exit code 5 if something is worse since one of the newest runs")
	f.IntVar(&o.Newest, "newest", history.DefaultNewest, "how many of the newest runs --fail-on looks at")
	o.Define(f)
	return c
}

func runHistory(s command.Streams, o historyOptions) error {
	o.Decisive = s.Decisive()
	write, err := o.checkFlags()
	if err = errors.Join(command.Usage(err), o.Check()); err != nil {
		return err
	}
	h, err := o.read()
	if err != nil {
		return err
	}
	if write != nil {
		chart, err := plot.History(h, plot.Options{Axis: o.axis()})
		if err != nil {
			return mistake(err)
		}
		if err := o.WriteFile("--chart", o.chart, o.paths, func(w io.Writer) error { return write(chart, w) }); err != nil {
			return err
		}
	}
	if err := o.Show(s, comparison.History(h)); err != nil {
		return err
	}
	return o.gate(h)
}

// checkFlags returns how to write the chart; nil if none is wanted.
func (o historyOptions) checkFlags() (func(*plot.Chart, io.Writer) error, error) {
	if o.failOn != "" && o.failOn != newChange {
		return nil, fmt.Errorf("--fail-on %q: want %s (compare has conditions such as p99>10%%)", o.failOn, newChange)
	}
	if o.Newest < history.Least {
		return nil, fmt.Errorf("--newest %d: want %d or more, as a change needs so many runs after it to be shown", o.Newest, history.Least)
	}
	if o.chart == "" {
		return nil, nil
	}
	return chartWriter("--chart", o.chart)
}

// read reads the runs and finds the changes of the cells that are asked for.
func (o historyOptions) read() (*history.History, error) {
	dirs, err := history.Find(o.paths)
	if err != nil {
		return nil, err
	}
	var out []history.Out
	dirs = slices.DeleteFunc(dirs, func(dir string) bool {
		for file, reason := range map[string]string{command.SearchFile: "the probes of a search", command.AbFile: "a side of ab, made to differ from the other"} {
			if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
				out = append(out, history.Out{Run: dir, Reason: reason})
				return true
			}
		}
		return false
	})
	runs, unread := history.Read(dirs)
	for _, run := range runs {
		run.Trials = slices.DeleteFunc(run.Trials, func(t compare.Trial) bool {
			wanted := func(part string) bool { return strings.Contains(t.Cell.ID+" "+t.Cell.Plan.Title(), part) }
			return len(o.cells) > 0 && !slices.ContainsFunc(o.cells, wanted)
		})
	}
	h, err := history.New(runs, o.Options)
	if left := append(unread, out...); err != nil && len(left) > 0 { // one of them, as the reason why there is none
		return nil, fmt.Errorf("%s: %w (%s: %s)", strings.Join(o.paths, ", "), err, left[0].Run, left[0].Reason)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(o.paths, ", "), err)
	}
	h.LeftOut = slices.Concat(h.LeftOut, unread, out)
	return h, nil
}

// gate returns the outcome of --fail-on as an error.
func (o historyOptions) gate(h *history.History) error {
	switch names := h.Alarms(); {
	case o.failOn == "":
	case len(names) > 0:
		return command.Fail(command.ExitRegression, fmt.Errorf("%s: worse since one of the newest %d runs: %s", o.failOn, h.Newest, strings.Join(names, ", ")))
	case h.Judged == 0:
		return command.Fail(command.ExitInvalid, fmt.Errorf("%s cannot be judged: no series has %d runs", o.failOn, history.Needed))
	}
	return nil
}
