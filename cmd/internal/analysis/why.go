package analysis

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/causes"
	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/report/why"
	"github.com/brokerbench/brokerbench/results"
)

const whyLong = `Why shows the causes of the worst messages of each cell: those that coincide with their
pauses more often than chance allows.

While a cell is measured, run samples possible causes a hundred times a second: waits for
cores, CPU quotas, stopped processes, pressure, disks, sockets, collections of garbage, and
log lines, of this process, this machine and the nodes on it. A cause is named where there
is none in 5 % of cells at most, however many causes are tried. See docs/causes.md.

RUN is the folder of a run; RUN/CELL names one cell.

Exit codes: 0 good, also if no cause is found; 1 a file cannot be read, or no cell was
sampled; 2 a mistake in the command line.`

// NewWhy returns the command why.
func NewWhy(s command.Streams) *cobra.Command {
	var p command.Printing
	c := &cobra.Command{
		Use:   "why [RUN[/CELL]]",
		Short: "Show the causes of the worst messages",
		Long:  strings.Replace(whyLong, "\nExit codes:", command.LastLong+"\nExit codes:", 1),
		Example: `  brokerbench why
  brokerbench why brokerbench-results/20260102-150405-quick
  brokerbench why brokerbench-results/latest --format json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: s.CompleteRuns,
		RunE: func(_ *cobra.Command, paths []string) (err error) {
			if paths, err = s.OrLast(paths); err != nil {
				return err
			}
			return runWhy(s, p, paths[0])
		},
	}
	p.Define(c.Flags())
	return c
}

func runWhy(s command.Streams, p command.Printing, path string) error {
	if err := p.Check(); err != nil {
		return err
	}
	store, ids, err := cellsAt(path)
	if err != nil {
		return err
	}
	var cells []why.Cell
	for _, id := range ids {
		r, err := causesOf(store.Cell(id))
		if err != nil {
			return fmt.Errorf("%s: %w", store.Cell(id).Dir(), err)
		}
		if r != nil {
			cells = append(cells, why.Cell{ID: id, Causes: *r})
		}
	}
	if len(cells) == 0 {
		return fmt.Errorf("%s: causes were not sampled: an earlier version measured it, or agents did (measure it again in one process)", path)
	}
	return p.Show(s, why.Document(cells))
}

// cellsAt returns the run at a path and the names of its measured cells; or the one that the path names.
func cellsAt(path string) (*results.Store, []string, error) {
	store, err := results.Open(path)
	if err != nil {
		dir, id := filepath.Split(filepath.Clean(path))
		dir = strings.TrimSuffix(filepath.Clean(dir), string(filepath.Separator)+results.CellsFolder)
		of, runErr := results.Open(dir)
		if runErr != nil {
			return nil, nil, command.HoldsRuns(path, err)
		}
		return of, []string{id}, nil
	}
	run, err := store.Run()
	var ids []string
	for _, entry := range run.Cells {
		if entry.Verdict != "" {
			ids = append(ids, entry.ID)
		}
	}
	return store, ids, err
}

// causesOf judges the samples of a cell; nil if there are none.
func causesOf(folder *results.CellFolder) (*cause.Causes, error) {
	if _, err := folder.Read(); err != nil { // there is no such cell
		return nil, err
	}
	s, err := cause.Read(folder.Dir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return causes.Judge(s), nil
}
