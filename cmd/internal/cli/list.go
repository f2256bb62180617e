package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/results"
)

const listLong = `List shows the runs in a folder of results, the newest first: what was measured, how
many cells there are, and their verdicts. The name of a run's folder says when it
began, and its name. Without DIR it is brokerbench-results, or BROKERBENCH_OUT.

Formats other than the table have time and name in columns of their own.

Exit codes: 0 good, also if there is no run; 1 the folder cannot be read; 2 a mistake
in the command line.`

func newList(s Streams) *cobra.Command {
	var p printing
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
	p.define(c.Flags())
	return c
}

// listRuns lists the runs in the folder that is given, which must be there, or else in
// that of all results, which the first run makes.
func listRuns(s Streams, p printing, dirs []string) error {
	out, err := s.outFolder()
	if err = errors.Join(err, p.check()); err != nil {
		return err
	}
	if len(dirs) > 0 {
		out = dirs[0]
	}
	if _, err := os.Stat(out); err != nil && (len(dirs) > 0 || !errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	if _, err := results.Open(out); err == nil {
		return usage(fmt.Errorf("%s is a run itself, and no folder of runs (brokerbench report %[1]s --format table prints it)", out))
	}
	runs, err := results.List(out)
	if err != nil {
		return err
	}
	return p.show(s, report.List(out, runs))
}
