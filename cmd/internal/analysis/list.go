// Package analysis has the commands that read results: compare, history, list, merge, plot and report.
package analysis

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/results"
)

const listLong = `List shows the runs in a folder of results, the newest first, with their targets, the
number of cells, and the verdicts. The folder of a run is named for its time and its
name. Without DIR it is brokerbench-results, or BROKERBENCH_OUT.

Formats other than the table have separate columns for time and name.

Exit codes: 0 good, also if there is no run; 1 the folder cannot be read; 2 a mistake
in the command line.`

// NewList returns the command list.
func NewList(s command.Streams) *cobra.Command {
	var p command.Printing
	c := &cobra.Command{
		Use:   "list [DIR]",
		Short: "List the runs in a folder of results",
		Long:  listLong,
		Example: `  brokerbench list
  brokerbench list nightly/ --format csv`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
		RunE:              func(_ *cobra.Command, dirs []string) error { return listRuns(s, p, dirs) },
	}
	p.Define(c.Flags())
	return c
}

// listRuns lists the runs in the folder that is given, which must be there, or else in
// that of all results, which the first run makes.
func listRuns(s command.Streams, p command.Printing, dirs []string) error {
	out, err := s.OutFolder()
	if err = errors.Join(err, p.Check()); err != nil {
		return err
	}
	if len(dirs) > 0 {
		out = dirs[0]
	}
	if _, err := os.Stat(out); err != nil && (len(dirs) > 0 || !errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	if _, err := results.Open(out); err == nil {
		return command.Usage(fmt.Errorf("%s is a run itself, and no folder of runs (brokerbench report %[1]s --format table prints it)", out))
	}
	runs, err := results.List(out)
	if err != nil {
		return err
	}
	return p.Show(s, report.List(out, runs))
}
